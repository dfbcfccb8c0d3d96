import { createLogger } from '@hopcount/runtime';
import { testRedis, type TestRedis, testRedisServer, waitUntil } from '@hopcount/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { createRedis, type RedisClient, waitForRedis } from '../client/create-redis.js';
import { BloomFilters } from './bloom-filters.js';

const logger = createLogger({ name: 'test', level: 'silent' });

describe('BloomFilters', () => {
  let server: TestRedis;
  let redis: RedisClient;
  let filters: BloomFilters;

  beforeAll(async () => {
    server = await testRedis();
    redis = createRedis({ url: server.url, name: 'filters', logger });
    await waitForRedis(redis, 5_000);
    filters = new BloomFilters(redis);
  });
  afterAll(async () => {
    redis.disconnect();
    await server.close();
  });

  it('say of each entry, in the order asked, whether it was never added, over several shards', async () => {
    const filter = (await filters.make(5_000_000))!;
    expect(filter.shards).toBe(3);
    const entries = Array.from({ length: 2_000 }, (_, n) => `entry:${n}`);
    const isOdd = entries.map((_, n) => n % 2 === 1);
    expect(
      await filters.add(
        filter,
        entries.filter((_, n) => n % 2 === 0),
      ),
    ).toBe(true);
    expect(await filters.lacks(filter, entries)).toEqual(isOdd);
    expect(await filters.isThere(filter)).toBe(true);
    // The shard of one entry is gone: nothing is said of any.
    await redis.del(`hc:filter:{${filter.generation}}:1`);
    expect(await filters.lacks(filter, entries)).toBeUndefined();
    expect(await filters.isThere(filter)).toBe(false);
    expect(await filters.add(filter, entries)).toBe(false);
  });

  it('say nothing on a server that was a replica meanwhile and has lost what was added', async () => {
    const [one, other] = await Promise.all([testRedisServer(), testRedisServer()]);
    const client = createRedis({ url: one.url, name: 'filters', logger });
    await waitForRedis(client, 5_000);
    const filters = new BloomFilters(client);
    for (const { client } of [one, other]) await client.config('SET', 'repl-diskless-sync-delay', '0');
    await follow(other, one);
    const filter = (await filters.make(1_000))!;
    const shard = `hc:filter:{${filter.generation}}:0`;
    await waitUntil(async () => (await other.client.exists(shard)) === 1, { describe: 'the copy of the filter' });
    await other.client.replicaof('NO', 'ONE');
    expect(await filters.add(filter, ['late'])).toBe(true);
    await follow(one, other);
    const answers = async () => [
      await filters.lacks(filter, ['late']),
      await filters.add(filter, ['later']),
      await filters.isThere(filter),
    ];
    expect(await answers()).toEqual([undefined, false, false]);
    expect(await filters.make(1_000)).toBeUndefined();
    await one.client.replicaof('NO', 'ONE');
    expect(await one.client.getbit(shard, 0)).toBe(1);
    expect(await answers()).toEqual([undefined, false, false]);
    client.disconnect();
    await Promise.all([one.close(), other.close()]);
  });

  async function follow(replica: TestRedis, master: TestRedis): Promise<void> {
    await replica.client.replicaof('127.0.0.1', master.port);
    await waitUntil(async () => (await replica.client.info('replication')).includes('master_link_status:up'), {
      describe: 'the replica',
    });
  }
});
