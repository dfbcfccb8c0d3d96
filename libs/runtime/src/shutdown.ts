import type { Logger } from './logger.js';

/**
 * Runs `stop` once on SIGTERM or SIGINT and exits: 0 when it finished, 1 when it failed or took
 * longer than `graceMs`; a second signal exits at once. An error nobody caught exits with 1 after a line in
 * the log: Node's own report on stderr would wait for a reader that stalls.
 */
export function onShutdownSignal(options: { graceMs: number; logger: Logger; stop: () => Promise<void> }): void {
  let stopping = false;
  const handle = (signal: NodeJS.Signals) => {
    if (stopping) process.exit(130);
    stopping = true;
    options.logger.info({ signal }, 'stopping');
    setTimeout(() => {
      options.logger.error({ graceMs: options.graceMs }, 'did not stop in time');
      process.exit(1);
    }, options.graceMs).unref();
    options.stop().then(
      () => process.exit(0),
      (error: unknown) => {
        options.logger.error({ err: error }, 'stopping failed');
        process.exit(1);
      },
    );
  };
  process.on('uncaughtException', (error) => {
    options.logger.fatal({ err: error }, 'an error nobody caught');
    process.exit(1);
  });
  process.on('SIGTERM', handle);
  process.on('SIGINT', handle);
}
