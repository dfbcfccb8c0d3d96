import { createServer } from 'node:net';

/*
 * Below 20,000, where the test run's services are, and below 32,768, from where Linux takes the local ports
 * of outgoing connections. Each Jest worker has every sixteenth port, so that two of them never choose the same.
 */
const FIRST_PORT = 10_000;
const WORKERS = 16;
const PORTS_PER_WORKER = 600;
// eslint-disable-next-line no-restricted-properties -- test tooling has no main.ts that could hand it over
const worker = Number(process.env['JEST_WORKER_ID'] ?? Math.floor(Math.random() * WORKERS)) % WORKERS;
let place = Math.floor(Math.random() * PORTS_PER_WORKER);

/** @returns a TCP port of 127.0.0.1 on which nobody listens, and which this process has not returned recently */
export async function freePort(): Promise<number> {
  for (;;) {
    place = (place + 1) % PORTS_PER_WORKER;
    const port = FIRST_PORT + place * WORKERS + worker;
    if (await canListen(port)) return port;
  }
}

/** @returns different ports, each as from {@link freePort} */
export async function freePorts(count: number): Promise<number[]> {
  const ports: number[] = [];
  while (ports.length < count) ports.push(await freePort());
  return ports;
}

function canListen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
