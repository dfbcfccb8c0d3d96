import { createLogger } from '@hopcount/runtime';
import { testRedis, type TestRedis, testRedisServer, waitUntil } from '@hopcount/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Redis } from 'ioredis';

import { createRedis, type RedisClient, waitForRedis } from '../client/create-redis.js';
import { LocalBuckets } from './local-buckets.js';
import { TokenBuckets, type Withdrawal } from './token-buckets.js';

const SLOW = 0.001; // a token in 1,000 s: none comes back while a test runs
const logger = createLogger({ name: 'test', level: 'silent' });

let server: TestRedis;
let clients: RedisClient[];
let shared: TokenBuckets[];

beforeAll(async () => {
  server = await testRedis();
  clients = [1, 2].map((n) => createRedis({ url: server.url, name: `test-${n}`, logger }));
  await Promise.all(clients.map((client) => waitForRedis(client, 5_000)));
  shared = clients.map((client) => new TokenBuckets(client));
});
beforeEach(() => server.client.flushall());
afterAll(async () => {
  for (const client of clients) client.disconnect();
  await server.close();
});

const of = (key: string, burst: number, tokens = 1, perSecond = SLOW): Withdrawal => ({
  ...{ key: `hc:rate:{test}:${key}`, burst, perSecond, tokens },
});
const admitted = (answers: ({ isAdmitted: boolean } | undefined)[]) =>
  answers.filter((answer) => answer?.isAdmitted === true).length;

describe('token buckets in Redis', () => {
  it('give exactly what is in them to two processes that ask at once', async () => {
    const asked = Array.from({ length: 400 }, (_, n) => shared[n % 2]!.take([of('one', 100)]));
    expect(admitted(await Promise.all(asked))).toBe(100);
    expect(await shared[0]!.take([of('one', 100)])).toMatchObject({ isAdmitted: false, buckets: [{ left: 0 }] });
  });

  it('are asked in one write where many are asked at once, which waits for no more than that', async () => {
    const one = await testRedisServer();
    const client = createRedis({ url: one.url, name: 'test', logger }) as Redis;
    try {
      await waitForRedis(client, 5_000);
      const buckets = new TokenBuckets(client);
      const asked = Promise.all(Array.from({ length: 20 }, (_, n) => buckets.take([of(`at once ${n}`, 1)])));
      expect([client.stream.writableCorked, client.stream.writableLength > 0]).toEqual([1, true]);
      expect(admitted(await asked)).toBe(20);
      expect(client.stream.writableCorked).toBe(0);
    } finally {
      client.disconnect();
      await one.close();
    }
  });

  it('fill steadily on the clock of Redis, so that no edge of a window lets two bursts through', async () => {
    const [buckets] = shared as [TokenBuckets];
    const one = of('steady', 50, 1, 1_000);
    const startedUs = await nowUs();
    let count = 0;
    while (count < 300) count += admitted(await Promise.all(Array.from({ length: 20 }, () => buckets.take([one]))));
    const seconds = ((await nowUs()) - startedUs) / 1e6;
    expect(count).toBeLessThanOrEqual(50 + 1_000 * seconds + 1);
  });

  it('give all that a request wants, or take nothing', async () => {
    const [buckets] = shared as [TokenBuckets];
    await buckets.take([of('small', 2, 2)]);
    const refused = await buckets.take([of('large', 10), of('small', 2)]);
    expect(refused).toMatchObject({ isAdmitted: false, buckets: [{ left: 10 }, { left: 0 }] });
    // Half of what a token takes to come has not passed yet.
    expect(refused?.retryAfterMs).toBeGreaterThan(500_000);
    expect(refused?.retryAfterMs).toBeLessThanOrEqual(1_000_000);
    expect(await buckets.take([of('large', 10, 10)])).toMatchObject({ isAdmitted: true, buckets: [{ left: 0 }] });
  });

  it('are asked whether a token is there without giving it', async () => {
    const [buckets] = shared as [TokenBuckets];
    for (let n = 0; n < 3; n += 1) {
      expect(await buckets.take([of('peek', 1, 0)])).toMatchObject({ isAdmitted: true, buckets: [{ left: 1 }] });
    }
    await buckets.take([of('peek', 1)]);
    expect(await buckets.take([of('peek', 1, 0)])).toMatchObject({ isAdmitted: false });
  });

  it('have no key once they are full again', async () => {
    await shared[0]!.take([of('gone', 10, 1, 100)]);
    await waitUntil(async () => (await server.client.dbsize()) === 0, { describe: 'the key has expired' });
    expect(await shared[0]!.take([of('gone', 10, 0, 100)])).toMatchObject({ buckets: [{ left: 10, fullInMs: 0 }] });
  });

  it('are at worst empty after a clock that was ahead', async () => {
    await server.client.set('hc:rate:{test}:ahead', String(9e15));
    const answer = await shared[0]!.take([of('ahead', 10, 1, 10)]);
    expect(answer).toMatchObject({ isAdmitted: false, retryAfterMs: 100, buckets: [{ left: 0, fullInMs: 1_000 }] });
  });

  it('say nothing while Redis is away', async () => {
    const away = createRedis({ url: 'redis://127.0.0.1:1', name: 'away', logger });
    expect(await new TokenBuckets(away).take([of('away', 1)])).toBeUndefined();
    away.disconnect();
  });

  async function nowUs(): Promise<number> {
    const [seconds, micros] = await server.client.time();
    return Number(seconds) * 1e6 + Number(micros);
  }
});

describe('buckets of one process', () => {
  it('answer as those in Redis', async () => {
    // Nothing comes back in the meantime, so that both clocks say the same.
    const local = new LocalBuckets(() => 0);
    const steps = [
      [of('a', 5, 3)],
      [of('a', 5, 0), of('b', 2)],
      [of('a', 5, 3), of('b', 2)],
      [of('a', 5, 2)],
      [of('b', 2)],
      // Given back: also into an empty bucket, and never more than it holds.
      [of('a', 5, -2)],
      [of('a', 5, 3)],
      [of('a', 5, 2)],
      [of('b', 2, -50)],
      [of('b', 2, 0)],
      [of('b', 2, 2)],
      [of('b', 2)],
      [of('new', 3, -1)],
      [of('new', 3, 3)],
      // Another size from now on: what was taken stays taken, and an empty bucket is no emptier than that.
      [of('sized', 100, 100)],
      [of('sized', 10, 1, 0.01)],
      [of('sized', 200, 1)],
    ];
    for (const step of steps) {
      const [expected, answer] = [await shared[0]!.take(step), local.take(step)];
      expect([answer.isAdmitted, answer.buckets.map(({ left }) => left)]).toEqual([
        expected?.isAdmitted,
        expected?.buckets.map(({ left }) => left),
      ]);
    }
  });

  it('fill with time, up to their size', () => {
    let nowMs = 0;
    const local = new LocalBuckets(() => nowMs);
    const take = (tokens: number) => local.take([of('time', 10, tokens, 10)]);
    expect(take(10)).toMatchObject({ isAdmitted: true });
    expect(take(1)).toMatchObject({ isAdmitted: false, retryAfterMs: 100 });
    nowMs = 100;
    expect(take(1)).toMatchObject({ isAdmitted: true, buckets: [{ left: 0 }] });
    nowMs = 60_000;
    expect(take(11).isAdmitted).toBe(false);
    expect(take(10).isAdmitted).toBe(true);
  });

  it('are forgotten above so many, those first that nobody asks for', () => {
    const local = new LocalBuckets(() => 0);
    local.take([of('kept', 1)]);
    for (let n = 0; n < 20_005; n += 1) {
      if (n % 1_000 === 0) local.take([of('old', 50)]);
      local.take([of(`other-${n}`, 1)]);
    }
    expect(local.take([of('old', 50, 0)]).buckets[0]?.left).toBe(29);
    expect(local.take([of('kept', 1, 0)]).isAdmitted).toBe(true);
  });
});
