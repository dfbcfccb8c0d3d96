import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { Redis } from 'ioredis';

import { testRedisServer, type TestRedis } from './test-redis.js';
import { TestServer } from './test-server.js';
import { waitUntil } from './wait-until.js';

/** A master, a replica and the sentinel that promotes it. */
export interface TestRedisSentinel {
  /** As REDIS_URL wants it. */
  readonly url: string;
  readonly master: TestRedis;
  readonly replica: TestRedis;
  close(): Promise<void>;
}

const MASTER_NAME = 'main';
/** How long the master is silent before its replica is promoted. */
const DOWN_AFTER_MS = 1_000;

/** @throws Error when no redis-server is on PATH. */
export async function testRedisSentinel(): Promise<TestRedisSentinel> {
  const [master, replica] = await Promise.all([testRedisServer(), testRedisServer()]);
  await replica.client.config('SET', 'repl-diskless-sync-delay', '0');
  await replica.client.replicaof('127.0.0.1', master.port);
  const folder = mkdtempSync(join(tmpdir(), 'hopcount-test-sentinel-'));
  const server = await TestServer.start({
    name: 'sentinel',
    command: 'redis-server',
    args: (port) => [settingsIn(folder, port, master.port), '--sentinel'],
    answers: (port) => asked(port, async (sentinel) => (await sentinel.ping()) === 'PONG'),
    startTimeoutMs: 10_000,
  });
  const knowsReplica = (sentinel: Redis) =>
    sentinel.call('SENTINEL', 'REPLICAS', MASTER_NAME).then((replicas) => (replicas as unknown[]).length === 1);
  const isKnown = () => asked(server.port, knowsReplica);
  await waitUntil(isKnown, { timeoutMs: 60_000, everyMs: 100, describe: 'the sentinel to know the replica' });
  return {
    url: `redis+sentinel://127.0.0.1:${server.port}/${MASTER_NAME}`,
    master,
    replica,
    close: async () => {
      await server.end('SIGKILL');
      await Promise.all([master.close(), replica.close()]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** It writes into that file what it learns. */
function settingsIn(folder: string, port: number, masterPort: number): string {
  const path = join(folder, `${port}.conf`);
  const lines = [
    ...[`port ${port}`, 'bind 127.0.0.1', `dir ${folder}`, `sentinel monitor ${MASTER_NAME} 127.0.0.1 ${masterPort} 1`],
    `sentinel down-after-milliseconds ${MASTER_NAME} ${DOWN_AFTER_MS}`,
  ];
  writeFileSync(path, `${lines.join('\n')}\n`);
  return path;
}

async function asked(port: number, question: (sentinel: Redis) => Promise<boolean>): Promise<boolean> {
  const sentinel = new Redis(port, '127.0.0.1', { retryStrategy: () => null, maxRetriesPerRequest: 0 });
  sentinel.on('error', () => undefined);
  try {
    return await question(sentinel);
  } catch {
    // Not up yet: asked again.
    return false;
  } finally {
    sentinel.disconnect();
  }
}
