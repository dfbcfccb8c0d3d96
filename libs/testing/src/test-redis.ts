import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { Redis } from 'ioredis';

import { TestServer } from './test-server.js';
import { waitUntil } from './wait-until.js';

/** A private redis-server, so a test may flush, stop, kill or freeze it. */
export interface TestRedis {
  readonly port: number;
  readonly url: string;
  /** For looking and for FLUSHALL; reconnects by itself after a restart. */
  readonly client: Redis;
  /** Starts it again on the same port after stop() or kill(), empty. */
  start(): Promise<void>;
  /** Ends it in good order; resolves when its port answers no more. */
  stop(): Promise<void>;
  /** SIGKILL. */
  kill(): Promise<void>;
  /** SIGSTOP and SIGCONT: it keeps its connections and answers nothing. */
  freeze(): void;
  thaw(): void;
  /** Ends everything, for afterAll. */
  close(): Promise<void>;
}

/** @throws Error when no redis-server is on PATH. */
export async function testRedis(): Promise<TestRedis> {
  const folder = mkdtempSync(join(tmpdir(), 'hopcount-test-redis-'));
  const server = await TestServer.start({
    name: 'redis-server',
    command: 'redis-server',
    args: (port) => settingsOf(folder, port),
    answers,
    startTimeoutMs: 10_000,
  });
  const { port } = server;
  const url = `redis://127.0.0.1:${port}`;
  const client = new Redis(url, { retryStrategy: () => 50, maxRetriesPerRequest: null });
  client.on('error', () => undefined);
  return {
    port,
    url,
    client,
    start: async () => {
      await server.startAgain();
      await waitUntil(() => client.status === 'ready', { describe: 'the test client to reconnect' });
    },
    stop: () => server.end('SIGTERM'),
    kill: () => server.end('SIGKILL'),
    freeze: () => server.freeze(),
    thaw: () => server.thaw(),
    close: async () => {
      client.disconnect();
      await server.end('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function settingsOf(folder: string, port: number): string[] {
  const settings = { port, bind: '127.0.0.1', save: '', appendonly: 'no', dir: folder, loglevel: 'warning' };
  return Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]);
}

async function answers(port: number): Promise<boolean> {
  const probe = new Redis(port, '127.0.0.1', { retryStrategy: () => null, maxRetriesPerRequest: 0 });
  probe.on('error', () => undefined);
  try {
    return (await probe.ping()) === 'PONG';
  } catch {
    return false;
  } finally {
    probe.disconnect();
  }
}
