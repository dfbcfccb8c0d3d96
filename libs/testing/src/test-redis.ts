import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { Redis } from 'ioredis';

import { environment } from './test-jars.js';
import { testRedisCluster, type TestRedisCluster } from './test-redis-cluster.js';
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

/** Longer than a test freezes its Redis: no replica takes over meanwhile. */
const NODE_TIMEOUT_MS = 30_000;

/** `TEST_REDIS=cluster`: three masters and their replicas, for the same specs. @throws Error when no redis-server is on PATH. */
export function testRedis(): Promise<TestRedis> {
  return environment()['TEST_REDIS'] === 'cluster' ? asCluster() : testRedisServer();
}

async function asCluster(): Promise<TestRedis> {
  const cluster = await testRedisCluster({ nodeTimeoutMs: NODE_TIMEOUT_MS });
  await waitUntil(() => cluster.onMasters((master) => master.ping()), { describe: 'the client to know the masters' });
  return {
    get port(): number {
      throw new Error('a cluster has no port of its own');
    },
    url: cluster.url,
    client: lookingEverywhere(cluster),
    start: cluster.all.start,
    stop: cluster.all.end,
    kill: cluster.all.kill,
    freeze: cluster.all.freeze,
    thaw: cluster.all.thaw,
    close: () => cluster.close(),
  };
}

/** What one server says of all its keys, or is told, all masters are. */
function lookingEverywhere({ client, onMasters }: TestRedisCluster): Redis {
  const everywhere = {
    keys: async (pattern: string) => [...(await onMasters((master) => master.keys(pattern))).values()].flat(),
    dbsize: async () =>
      [...(await onMasters((master) => master.dbsize())).values()].reduce((sum, keys) => sum + keys, 0),
    flushall: async () => void (await onMasters((master) => master.flushall())),
    config: async (...words: [string, string, string]) =>
      void (await onMasters((master) => master.call('CONFIG', ...words))),
  };
  return Object.assign(client, everywhere) as unknown as Redis;
}

/** One server, for specs of what only one server does. */
export async function testRedisServer(): Promise<TestRedis> {
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
    // Not up yet: asked again.
    return false;
  } finally {
    probe.disconnect();
  }
}
