import { setTimeout as sleep } from 'node:timers/promises';

import type { ShortUrl } from '@hopcount/contracts';
import { waitUntil } from '@hopcount/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { readLag } from '../harness/cli.js';
import { expectEverythingCounted } from '../harness/counting.spec-helpers.js';
import { DuplicateDeliveries } from '../harness/duplicate-deliveries.js';
import { Ledger } from '../harness/ledger.js';
import { LinksApi } from '../harness/links.js';
import { readMetric } from '../harness/metrics.js';
import { flushRedis } from '../harness/redis.js';
import { rewindStatisticsGroup } from '../harness/replay.js';
import { type ProcessKind, type RunningStack, startStack } from '../harness/stack.js';
import { VisitorLoad } from '../harness/visitor-load.js';

const START_MS = 180_000;
const STEP_MS = 180_000;
const OUTAGE_MS = 20_000;

/** One stack, one load, fault after fault: what an earlier one broke, a later check would see too. */
describe('20,000 visits and more', () => {
  let stack: RunningStack;
  let ledger: Ledger;
  let links: ShortUrl[];
  let load: VisitorLoad;

  beforeAll(async () => {
    // A dead consumer's partitions come back after its session: the shortest the broker allows is 6 s.
    stack = await startStack({ env: { TRUSTED_PROXIES: '127.0.0.1/32', SESSION_TIMEOUT_MS: '8000' } });
    const api = new LinksApi(stack.file);
    ledger = await Ledger.open(stack.file.databaseUrl);
    links = [];
    links.push(...(await api.createPages(40)));
    load = new VisitorLoad({ gatewayUrl: stack.file.gatewayUrl, links, visitors: 2_000, concurrency: 48, seed: 3 });
  }, START_MS);

  afterAll(async () => {
    load?.close();
    await ledger?.close();
    await stack?.stop();
  }, START_MS);

  const consumerMetric = (name: string) => readMetric(stack.file.opsUrls.consumer, name);
  const gatewayMetric = (name: string, labels?: Record<string, string>) =>
    readMetric(stack.file.opsUrls.gateway, name, labels);
  const pidsOf = async (kind: ProcessKind) => (await stack.read()).processes[kind];
  const everythingCounted = () => expectEverythingCounted(stack, { ledger, links, load });

  it(
    'counts each of 20,000 once, although 2 % of them are delivered twice',
    async () => {
      const duplicates = await DuplicateDeliveries.start(stack.file.kafkaBrokers, 50);
      await load.run(20_000);
      await waitUntil(() => duplicates.sent > 200, { timeoutMs: 20_000, describe: 'duplicates delivered' });
      await duplicates.stop();
      await everythingCounted();
      expect(load.acknowledged.size).toBe(20_000);
      expect(duplicates.elsewhere).toBeGreaterThan(50);
      // The consumer says so after the commit that everybody sees.
      const areFound = async () => (await consumerMetric('hopcount_visits_dedupe_hits_total')) >= duplicates.sent;
      await waitUntil(areFound, { describe: `${duplicates.sent} duplicates found` });
    },
    STEP_MS,
  );

  it(
    'L2: survives kill -9 of the consumer in the middle',
    async () => {
      const [before] = await pidsOf('consumer');
      const running = load.run(4_000);
      await sleep(700);
      await stack.kill('consumer');
      await running;
      await waitUntil(async () => (await pidsOf('consumer'))[0] !== before, {
        timeoutMs: 30_000,
        describe: 'the process is started again',
      });
      await everythingCounted();
    },
    STEP_MS,
  );

  it(
    'L5: survives FLUSHALL',
    async () => {
      const running = load.run(3_000);
      await sleep(500);
      const forgotten = await flushRedis(stack.file.redisUrl);
      await running;
      expect(forgotten).toBeGreaterThan(0);
      await everythingCounted();
    },
    STEP_MS,
  );

  it(
    'L4: keeps redirecting while the broker is stopped for 20 s, a limited link a hundred times, and counts it all afterwards',
    async () => {
      const limited = await new LinksApi(stack.file).create({ longUrl: 'https://example.com/limited', maxVisits: 100 });
      const rush = new VisitorLoad({ gatewayUrl: stack.file.gatewayUrl, links: [limited], concurrency: 64, seed: 4 });
      await rush.run(30);
      const halt = new AbortController();
      const running = load.run(Number.MAX_SAFE_INTEGER, { signal: halt.signal, pauseMs: 100 });
      const isOver = new AbortController();
      const onProgress = () => (rush.refused.get(404) ?? 0) >= 900 && isOver.abort();
      await Promise.all([
        stack.hold('kafka'),
        rush.run(Number.MAX_SAFE_INTEGER, { signal: isOver.signal, onProgress }),
      ]);
      const acknowledgedBefore = load.acknowledged.size;
      await sleep(OUTAGE_MS);
      const duringOutage = load.acknowledged.size - acknowledgedBefore;
      const spooled = await gatewayMetric('hopcount_spool_events');
      await stack.resume('kafka');
      await sleep(1_000);
      halt.abort();
      await running;
      expect(duringOutage).toBeGreaterThan(100);
      expect(spooled).toBeGreaterThan(100);
      expect([rush.acknowledged.size, rush.inDoubt.size, [...rush.refused.keys()]]).toEqual([100, 0, [404]]);
      load.absorb(rush);
      links.push(limited);
      rush.close();
      await everythingCounted();
    },
    STEP_MS,
  );

  it(
    'loses nothing when the gateway is killed while its spool holds visits',
    async () => {
      await stack.hold('kafka');
      await load.run(300);
      const spooled = await gatewayMetric('hopcount_spool_events');
      const [before] = await pidsOf('gateway');
      await stack.kill('gateway');
      await waitUntil(async () => (await pidsOf('gateway'))[0] !== before, {
        timeoutMs: 30_000,
        describe: 'the process is started again',
      });
      await stack.resume('kafka');
      expect(spooled).toBeGreaterThanOrEqual(300);
      await everythingCounted();
    },
    STEP_MS,
  );

  it.each([
    ['with the done marks of Redis', false],
    ['with an empty Redis, the ledger alone deciding', true],
  ])(
    'D1: counts nothing twice when the whole topic is replayed %s',
    async (_, emptyRedis) => {
      await stack.hold('consumer');
      const before = await ledger.sums(links.map((link) => link.id));
      const committed = await rewindStatisticsGroup(await stack.read());
      expect(Math.max(...committed)).toBe(0);
      if (emptyRedis) await flushRedis(stack.file.redisUrl);
      await stack.resume('consumer');
      await waitUntil(
        async () => (await readLag(await stack.read())).partitions.every((one) => one.committed === one.logEnd),
        { timeoutMs: 90_000, everyMs: 1_000, describe: 'the replay is read to its end' },
      );
      expect(await consumerMetric('hopcount_visits_dedupe_hits_total')).toBeGreaterThanOrEqual(load.acknowledged.size);
      expect(await ledger.sums(links.map((link) => link.id))).toEqual(before);
      await everythingCounted();
    },
    STEP_MS,
  );
});
