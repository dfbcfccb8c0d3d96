import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import type { ShortUrl } from '@hopcount/contracts';
import { testRedisCluster, type TestRedisCluster, waitUntil } from '@hopcount/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { expectEverythingCounted } from '../harness/counting.spec-helpers.js';
import { runCli } from '../harness/cli.js';
import { Ledger } from '../harness/ledger.js';
import { LinksApi } from '../harness/links.js';
import { type RunningStack, startStack } from '../harness/stack.js';
import { VisitorLoad } from '../harness/visitor-load.js';

const START_MS = 240_000;
const MORE_VISITS = 2_000;
const LINK_KEYS = 1_000_000;
const AT_ONCE = 10_000;
/** As libs/links names the copy of a link. */
const linkKey = (code: number) => `hc:link2:spread:{s.test/${code.toString(36)}}`;

describe('a Redis Cluster of three masters', () => {
  let redis: TestRedisCluster;
  let stack: RunningStack;
  let ledger: Ledger;
  let load: VisitorLoad;
  const links: ShortUrl[] = [];

  beforeAll(async () => {
    redis = await testRedisCluster();
    stack = await startStack({ env: { REDIS_URL: redis.url } });
    ledger = await Ledger.open(stack.file.databaseUrl);
    const api = new LinksApi(stack.file);
    links.push(...(await api.createPages(20)));
    load = new VisitorLoad({ gatewayUrl: stack.file.gatewayUrl, links, concurrency: 16, seed: 18 });
  }, START_MS);
  afterAll(async () => {
    load?.close();
    await ledger?.close();
    await stack?.stop();
    await redis?.close();
  }, START_MS);

  const moreVisits = async (when: string) => {
    const wanted = load.acknowledged.size + MORE_VISITS;
    const isThere = () => load.acknowledged.size >= wanted;
    await waitUntil(isThere, { timeoutMs: 120_000, describe: `${MORE_VISITS} more visits ${when}` });
  };
  const saidByDoctor = async (name: string, redisUrl = redis.url) => {
    const { stdout } = await runCli({ ...stack.file, redisUrl }, 'doctor', '-o', 'json');
    const lines = JSON.parse(stdout) as { check: string; status: string; found: string; advice: string | null }[];
    return lines.find(({ check }) => check === name);
  };
  /** Visitors come all the while; no redirect may fail. */
  const whileVisited = async (work: () => Promise<void>) => {
    const halt = new AbortController();
    const running = load.run(Number.MAX_SAFE_INTEGER, { signal: halt.signal, pauseMs: 20 });
    try {
      await work();
    } finally {
      halt.abort();
      await running;
    }
    expect([[...load.refused], load.inDoubt.size]).toEqual([[], 0]);
  };

  it('loses a master: no redirect fails, every visit is counted once, doctor is content again', async () => {
    await whileVisited(async () => {
      await moreVisits('before');
      const dead = await redis.masterOf('{link-locks}');
      await redis.kill(dead);
      await moreVisits('without it');
      const isPromoted = async () => (await redis.masterOf('{link-locks}').catch(() => dead)) !== dead;
      await waitUntil(isPromoted, { timeoutMs: 60_000, everyMs: 200, describe: 'its replica is the master' });
      await moreVisits('with its replica');
    });
    await expectEverythingCounted(stack, { ledger, links, load });
    expect(await saidByDoctor('redis')).toMatchObject({ status: 'ok' });
  });

  it('holds a million links evenly, and gives a fourth master its share, as doctor says, while links are visited', async () => {
    for (let from = 0; from < LINK_KEYS; from += AT_ONCE) {
      await Promise.all(
        Array.from({ length: AT_ONCE }, (_, index) => redis.client.set(linkKey(from + index), '1', 'EX', 3_600)),
      );
    }
    const before = await redis.keysByMaster();
    const even = [...before.values()].reduce((sum, keys) => sum + keys, 0) / before.size;
    for (const keys of before.values()) expect(Math.abs(keys - even) / even).toBeLessThan(0.1);
    await whileVisited(async () => {
      await moreVisits('before');
      const added = await redis.addMaster();
      const [program = '', ...args] =
        (await saidByDoctor('redis nodes'))?.advice?.match(/redis-cli .*/)?.[0].split(' ') ?? [];
      await promisify(execFile)(program, args);
      await moreVisits('after');
      const after = await redis.keysByMaster();
      const moved = (after.get(added) ?? 0) / [...after.values()].reduce((sum, keys) => sum + keys, 0);
      expect(after.size).toBe(4);
      expect(Math.abs(moved - 1 / 4)).toBeLessThan(0.025);
    });
  });

  it('is refused where one of its nodes is given as if it were a server', async () => {
    expect(await saidByDoctor('redis', redis.nodeUrl())).toMatchObject({
      ...{ status: 'warn', found: expect.stringContaining('redis+cluster://') },
    });
  });
});
