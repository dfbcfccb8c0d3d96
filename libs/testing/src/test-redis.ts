import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { Redis } from 'ioredis';

import { freePort } from './free-port.js';
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

const running = new Set<ChildProcess>();
process.once('exit', () => running.forEach((child) => child.kill('SIGKILL')));

/** @throws Error when no redis-server is on PATH. */
export async function testRedis(): Promise<TestRedis> {
  const folder = mkdtempSync(join(tmpdir(), 'hopcount-test-redis-'));
  const started = await startOnFreePort(folder);
  const { port } = started;
  let { child } = started;
  const url = `redis://127.0.0.1:${port}`;
  const client = new Redis(url, { retryStrategy: () => 50, maxRetriesPerRequest: null });
  client.on('error', () => undefined);
  const end = async (signal: NodeJS.Signals) => {
    child.kill('SIGCONT');
    child.kill(signal);
    await exited(child);
  };
  return {
    port,
    url,
    client,
    start: async () => {
      await exited(child);
      child = spawnServer(folder, port);
      await answering(child, port);
      await waitUntil(() => client.status === 'ready', { describe: 'the test client to reconnect' });
    },
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
    freeze: () => void child.kill('SIGSTOP'),
    thaw: () => void child.kill('SIGCONT'),
    close: async () => {
      client.disconnect();
      await end('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Another process may take the free port first: then Redis exits at once and we try the next. */
async function startOnFreePort(folder: string): Promise<{ child: ChildProcess; port: number }> {
  for (let attempt = 1; ; attempt += 1) {
    const port = await freePort();
    const child = spawnServer(folder, port);
    try {
      await answering(child, port);
      return { child, port };
    } catch (error) {
      child.kill('SIGKILL');
      if (attempt === 3) throw error;
    }
  }
}

function spawnServer(folder: string, port: number): ChildProcess {
  const settings = { port, bind: '127.0.0.1', save: '', appendonly: 'no', dir: folder, loglevel: 'warning' };
  const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const child = spawn('redis-server', args, { stdio: 'ignore' });
  child.on('error', () => undefined); // not on PATH: answering() says so
  running.add(child);
  child.once('exit', () => running.delete(child));
  return child;
}

async function answering(child: ChildProcess, port: number): Promise<void> {
  const probe = new Redis(port, '127.0.0.1', { retryStrategy: () => 20, maxRetriesPerRequest: null });
  probe.on('error', () => undefined);
  try {
    await waitUntil(
      async () => {
        if (child.pid === undefined || child.exitCode !== null) return 'ended';
        return probe.status === 'ready' && (await probe.ping()) === 'PONG';
      },
      { timeoutMs: 10_000, describe: `redis-server on port ${port}` },
    );
  } finally {
    probe.disconnect();
  }
  if (child.pid === undefined) throw new Error('redis-server could not be started: is it on PATH?');
  if (child.exitCode !== null) throw new Error(`redis-server on port ${port} ended with ${child.exitCode}`);
}

function exited(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => child.once('exit', () => resolve()));
}
