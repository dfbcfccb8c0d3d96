import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import { createLogger } from '@hopcount/runtime';
import { newEventId, testRedisCluster, type TestRedisCluster, waitUntil } from '@hopcount/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { AddressBuckets } from '../buckets/address-buckets.js';
import { TokenBuckets } from '../buckets/token-buckets.js';
import { type ClaimOutcome, VisitClaims } from '../claims/visit-claims.js';
import { LinkLocks } from '../locks/link-locks.js';
import { createRedis, type RedisClient, waitForRedis } from './create-redis.js';
import { findUnevenNode, NodeLoadRatios, readNodeLoads } from './node-load.js';
import { SLOTS } from './nodes.js';

const MASTERS = 16;
const CONNECT_MS = 30_000;
/** Above it hopcount_redis_node_load_ratio raises an alert. */
const MOST_TO_MEAN = 1.2;
const BATCH = 500;
const KEYS = 20_000;
const LEDGER = '0b7c2f6e-6f0f-4b93-9f55-1f0a5d0c7a11';

describe('a Redis Cluster of 16 masters', () => {
  let cluster: TestRedisCluster;
  let redis: RedisClient;
  let claims: VisitClaims;

  beforeAll(async () => {
    cluster = await testRedisCluster({ masters: MASTERS, replicas: 0, nodeTimeoutMs: 5_000 });
    redis = createRedis({ url: cluster.url, name: 'spec', logger: createLogger({ name: 'spec', level: 'silent' }) });
    claims = new VisitClaims(redis);
    expect(await waitForRedis(redis, CONNECT_MS)).toBe(true);
    const areConnected = async () => !(await outcomesOf(newIds(BATCH))).has('unknown');
    await waitUntil(areConnected, { everyMs: 100, describe: 'connections to all masters' });
  }, 2 * CONNECT_MS);
  afterAll(async () => {
    redis?.disconnect();
    await cluster?.close();
  });

  const newIds = (count: number) => Array.from({ length: count }, () => newEventId());
  const outcomesOf = async (ids: readonly string[]) => new Set<ClaimOutcome>(await claims.claim(LEDGER, ids));
  const count = async (ids: readonly string[]) => {
    const outcomes = await outcomesOf(ids);
    await claims.markDone(LEDGER, ids);
    return outcomes;
  };
  const fillWith = async (write: (nth: number) => Promise<unknown>) => {
    await cluster.onMasters((master) => master.flushall());
    for (let from = 0; from < KEYS; from += BATCH) {
      await Promise.all(Array.from({ length: BATCH }, (_, nth) => write(from + nth)));
    }
  };
  // As libs/links names it.
  const copyLink = (nth: number) => redis.set(`hc:link2:${LEDGER}:{s.test/${nth.toString(36)}}`, 1);
  const highestToMean = async (kind: string, ratios = new NodeLoadRatios()) => {
    const found = ratios.look(await readNodeLoads(redis)).filter((one) => one.kind === kind);
    return { masters: found.length, isEven: Math.max(...found.map(({ ratio }) => ratio)) <= MOST_TO_MEAN };
  };

  it('serves all slots, as many on each master', async () => {
    const loads = await readNodeLoads(redis);
    expect(loads.map(({ slots }) => slots)).toEqual(new Array<number>(MASTERS).fill(SLOTS / MASTERS));
  });

  it('spreads the claims of visits, and the commands for them, evenly over all masters', async () => {
    await cluster.onMasters((master) => master.flushall());
    const locks = new LinkLocks(redis, { owner: 'spec' });
    const ratios = new NodeLoadRatios();
    ratios.look(await readNodeLoads(redis));
    for (let done = 0; done < KEYS; done += BATCH) {
      const ids = newIds(BATCH);
      const lease = await locks.acquireRead(['1', '2'], { waitMs: 1_000, leaseMs: 5_000 });
      expect(await count(ids)).toEqual(new Set(['claimed']));
      await lease.release();
      expect(await outcomesOf(ids)).toEqual(new Set(['done']));
    }
    expect(await highestToMean('operations', ratios)).toEqual({ masters: MASTERS, isEven: true });
    expect(await highestToMean('keys')).toEqual({ masters: MASTERS, isEven: true });
  });

  it('spreads token buckets of addresses evenly over all masters', async () => {
    const buckets = new TokenBuckets(redis);
    const addresses = new AddressBuckets('secret');
    const limit = { name: 'minute', size: { burst: 2, perSecond: 0.001 }, tokens: 1 };
    await fillWith((nth) => buckets.take(addresses.of(`${1 + (nth >> 8)}.${nth & 255}.0.1`, limit)));
    expect(await highestToMean('keys')).toEqual({ masters: MASTERS, isEven: true });
  });

  it('spreads copies of links evenly over all masters', async () => {
    await fillWith(copyLink);
    expect(await highestToMean('keys')).toEqual({ masters: MASTERS, isEven: true });
  });

  it('gives a 17th master its share of keys while visits are counted, and forgets no mark of a visit', async () => {
    await fillWith(copyLink);
    const added = await cluster.addMaster();
    const areTold = async () => {
      const known = await cluster.onMasters((master) => master.call('CLUSTER', 'NODES'));
      return [...known.values()].every((nodes) => String(nodes).includes(`${added}@`));
    };
    await waitUntil(areTold, { timeoutMs: CONNECT_MS, describe: 'all masters to know the new one' });
    const uneven = await findUnevenNode(redis);
    expect(uneven?.empty).toBe(added);
    const marked = newIds(BATCH);
    expect(await count(marked)).toEqual(new Set(['claimed']));
    const seen = { fresh: new Set<ClaimOutcome>(), again: new Set<ClaimOutcome>() };
    const [program = '', ...args] = uneven!.command.split(' ');
    let isMoving = true;
    const moving = promisify(execFile)(program, args).finally(() => (isMoving = false));
    while (isMoving) {
      for (const outcome of await count(newIds(50))) seen.fresh.add(outcome);
      for (const outcome of await outcomesOf(marked)) seen.again.add(outcome);
    }
    expect((await moving).stdout).toContain('Moving');
    expect([seen.fresh.has('claimed'), seen.fresh.has('done')]).toEqual([true, false]);
    expect([seen.again.has('done'), seen.again.has('claimed')]).toEqual([true, false]);
    const isServed = async () => !(await outcomesOf(marked)).has('unknown');
    await waitUntil(isServed, { timeoutMs: CONNECT_MS, everyMs: 100, describe: 'all slots to be served' });
    expect(await outcomesOf(marked)).toEqual(new Set(['done']));
    expect(await count(newIds(BATCH))).toEqual(new Set(['claimed']));
    const ratios = new NodeLoadRatios().look(await readNodeLoads(redis));
    expect(ratios.filter(({ ratio }) => ratio > 0.8 && ratio < MOST_TO_MEAN)).toHaveLength(MASTERS + 1);
    expect(await findUnevenNode(redis)).toBeUndefined();
  }, 120_000);
});
