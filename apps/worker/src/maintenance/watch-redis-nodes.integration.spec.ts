import { createRedis, type RedisClient, waitForRedis } from '@hopcount/redis';
import { createLogger, Registry } from '@hopcount/runtime';
import { testRedisCluster, type TestRedisCluster } from '@hopcount/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { createWorkerMetrics } from '../worker.metrics.js';
import { watchRedisNodes } from './maintenance-jobs.js';

const CONNECT_MS = 30_000;

describe('the load of the nodes of a Redis Cluster', () => {
  let cluster: TestRedisCluster;
  let redis: RedisClient;

  beforeAll(async () => {
    cluster = await testRedisCluster({ replicas: 0 });
    redis = createRedis({ url: cluster.url, name: 'spec', logger: createLogger({ name: 'spec', level: 'silent' }) });
    await waitForRedis(redis, CONNECT_MS);
  }, 2 * CONNECT_MS);
  afterAll(async () => {
    redis?.disconnect();
    await cluster?.close();
  });

  it('is told by node, for keys and operations apart', async () => {
    const registry = new Registry();
    const { work } = watchRedisNodes({ redis, metrics: createWorkerMetrics(registry) });
    const look = async (kind: string) => {
      await work(new AbortController().signal);
      const pattern = new RegExp(`^hopcount_redis_node_load_ratio\\{node="(\\S+)",kind="${kind}"\\} (\\S+)$`, 'gm');
      const found = [...(await registry.metrics()).matchAll(pattern)];
      return new Map(found.map(([, node = '', ratio]) => [node, Number(ratio)]));
    };
    expect(await look('keys')).toEqual(new Map());
    await cluster.client.set('{a}', 1);
    await Promise.all(Array.from({ length: 4_000 }, (_, nth) => redis.set(`{a}-${nth}`, 1)));
    const full = await cluster.masterOf('{a}');
    const operations = await look('operations');
    expect([operations.size, (operations.get(full) ?? 0) > 2]).toEqual([3, true]);
    const keys = await look('keys');
    expect([keys.get(full), Math.max(...keys.values())]).toEqual([3, 3]);
  });
});
