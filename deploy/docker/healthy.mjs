// HEALTHCHECK of the images: whether the process's operations port says that it lives. A command of the CLI has none.
if (process.env.APP !== 'cli') {
  const port = process.env.OPS_PORT ?? '';
  const isAlive = await fetch(`http://127.0.0.1:${port}/livez`).then(
    ({ ok }) => ok,
    () => false, // no answer: not healthy
  );
  process.exitCode = isAlive ? 0 : 1;
}
