import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import type { ShortUrl } from '@hopcount/contracts';
import { freePorts, waitUntil } from '@hopcount/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { type BalancedGateways, startBalancer } from '../harness/balanced-gateways.js';
import { runCli, runCliWith } from '../harness/cli.js';
import { expectEverythingCounted } from '../harness/counting.spec-helpers.js';
import { environmentOf } from '../harness/environment-of.js';
import { call } from '../harness/http.js';
import { Ledger } from '../harness/ledger.js';
import { LinksApi } from '../harness/links.js';
import { readMetric } from '../harness/metrics.js';
import { type ProcessBeside, startBeside } from '../harness/process-beside.js';
import { type RunningStack, startStack } from '../harness/stack.js';
import { VisitorLoad } from '../harness/visitor-load.js';

const START_MS = 240_000;
const TEST_MS = 400_000;
const SETTLED = { timeoutMs: 240_000, everyMs: 5_000 };
const CANARY_HEADER = { 'x-hopcount-version': 'canary' };
const CANARY_COOKIE = { cookie: 'a=b; hopcount_version=canary' };
const GO = 0;
const BACK = 3;
const WAIT = 4;

describe('two versions of the gateway behind HAProxy', () => {
  let stack: RunningStack;
  let balancer: BalancedGateways;
  let canary: ProcessBeside;
  let canaryPort: number;
  let load: VisitorLoad;
  let spool: string;
  let own: NodeJS.ProcessEnv;
  const links: ShortUrl[] = [];

  const startCanary = async (version: string, more: Record<string, string> = {}) => {
    canary = await startBeside('gateway', {
      ...own,
      HOPCOUNT_VERSION: version,
      SPOOL_DIR: join(spool, version),
      ...more,
    });
    await canary.ready();
    await waitUntil(() => balancer.hasCanary(), { timeoutMs: 30_000, describe: 'HAProxy sees the canary' });
  };

  beforeAll(async () => {
    stack = await startStack({ env: { HOPCOUNT_VERSION: '1.0', TRUSTED_PROXIES: '127.0.0.1/32' } });
    [canaryPort] = (await freePorts(1)) as [number];
    spool = mkdtempSync(join(tmpdir(), 'hopcount-canary-'));
    own = { ...environmentOf(stack.file.processes.gateway[0]!), GATEWAY_PORT: String(canaryPort) };
    const api = new LinksApi(stack.file);
    links.push(...(await api.createPages(10)));
    balancer = await startBalancer({ stable: Number(new URL(stack.file.gatewayUrl).port), canary: canaryPort });
    const options = { gatewayUrl: balancer.url, links, concurrency: 16, reconnectOneIn: 20, inDoubtStatuses: [502] };
    load = new VisitorLoad({ ...options, seed: 52 });
    await startCanary('2.0');
  }, START_MS);
  afterAll(async () => {
    load?.close();
    await canary?.stop();
    await balancer?.stop();
    await stack?.stop();
    rmSync(spool, { recursive: true, force: true });
  }, START_MS);

  const answersOf = (opsUrls: readonly string[]) => readMetric(opsUrls, 'hopcount_redirects_total');
  /** Share of the answers that came from the canary meanwhile. */
  const canaryShare = async (work: () => Promise<void>) => {
    const read = async () => [await answersOf([canary.opsUrl]), await answersOf(stack.file.opsUrls.gateway)] as const;
    const before = await read();
    await work();
    const after = await read();
    const [ofCanary, ofStable] = [after[0] - before[0], after[1] - before[1]];
    return ofCanary / (ofCanary + ofStable);
  };
  const ask = async (headers: Record<string, string>) => {
    const [link] = links as [ShortUrl];
    const host = new URL(link.shortUrl).host;
    const answer = await call(`${balancer.url}/${link.shortCode}`, { headers: { host, ...headers } });
    expect(answer.status).toBe(302);
    load.acknowledged.set(String(answer.headers['x-visit-id']), link.shortCode);
  };
  const judge = async (version: string) => {
    const urls = [...stack.file.opsUrls.gateway, canary.opsUrl];
    const { code, stdout, stderr } = await runCli(
      ...([stack.file, 'rollout', 'judge', '--canary', version, '--ops', ...urls] as const),
      ...(['--min-visits', '200', '-o', 'json'] as const),
    );
    return { code, said: stdout + stderr };
  };
  const underLoad = async (work: () => Promise<void>) => {
    const halt = new AbortController();
    const running = load.run(Number.MAX_SAFE_INTEGER, { signal: halt.signal, pauseMs: 20 });
    try {
      await work();
    } finally {
      halt.abort();
      await running;
    }
  };
  const expectCounted = async () => {
    const ledger = await Ledger.open(stack.file.databaseUrl);
    try {
      await expectEverythingCounted(stack, { ledger, links, load });
    } finally {
      await ledger.close();
    }
  };

  it(
    'takes who asks for the canary by header or cookie, then 10 % of all, which are enough for a go; then all, and back',
    async () => {
      expect(JSON.parse((await call(`${balancer.url}/readyz`, { headers: CANARY_HEADER })).body)).toMatchObject({
        version: '2.0',
      });
      const asked = async (headers: Record<string, string>) =>
        canaryShare(async () => {
          for (let request = 0; request < 20; request += 1) await ask(headers);
        });
      expect([await asked({}), await asked(CANARY_HEADER), await asked(CANARY_COOKIE)]).toEqual([0, 1, 1]);
      expect((await judge('2.0')).code).toBe(WAIT);

      await balancer.shift('Canary');
      const share = await canaryShare(() => load.run(4_000));
      expect(share).toBeGreaterThan(0.08);
      expect(share).toBeLessThan(0.12);
      const isGo = async () => (await judge('2.0')).code === GO;
      await waitUntil(isGo, { ...SETTLED, describe: 'the judge says go' });

      await balancer.shift('All visitors');
      expect(await canaryShare(() => load.run(500))).toBe(1);
      await balancer.shift('Back');
      expect(await canaryShare(() => load.run(500))).toBe(0);
      expect([[...load.refused], load.inDoubt.size]).toEqual([[], 0]);
      await expectCounted();
    },
    TEST_MS,
  );

  it(
    'loses the canary under load: in order no request fails, with -9 only those under way there are in doubt',
    async () => {
      await balancer.shift('Canary');
      await underLoad(async () => {
        await sleep(2_000);
        await canary.stop();
        await sleep(1_000);
        await startCanary('2.0');
        await sleep(2_000);
      });
      expect([[...load.refused], load.inDoubt.size]).toEqual([[], 0]);
      await underLoad(async () => {
        await sleep(1_000);
        process.kill(canary.pid, 'SIGKILL');
        await sleep(3_000);
        await startCanary('2.0');
        await sleep(1_000);
      });
      expect([...load.refused]).toEqual([]);
      // HAProxy answers 502 for what it had sent there; none that came later.
      expect(load.inDoubt.size).toBeLessThanOrEqual(16);
      await expectCounted();
    },
    TEST_MS,
  );

  it(
    'is told to go back from a canary that answers well and whose visits nobody counts',
    async () => {
      await canary.stop();
      const elsewhere = { VISITS_TOPIC: 'hopcount.visits.elsewhere' };
      const { kafkaBrokers: KAFKA_BROKERS, databaseUrl: DATABASE_URL } = stack.file;
      expect((await runCliWith({ KAFKA_BROKERS, DATABASE_URL, ...elsewhere }, 'topics', 'create')).code).toBe(0);
      await startCanary('3.0', elsewhere);
      const lost = new VisitorLoad({ gatewayUrl: balancer.url, links, concurrency: 4, seed: 53 });
      await lost.run(3_000);
      lost.close();
      expect([...lost.refused]).toEqual([]);
      let judged = await judge('3.0');
      expect(judged.code).toBe(WAIT);
      const isJudged = async () => (judged = await judge('3.0')).code !== WAIT;
      await waitUntil(isJudged, { ...SETTLED, describe: 'a verdict' });
      expect([judged.code, judged.said]).toEqual([BACK, expect.stringContaining('made durable and never counted')]);
    },
    TEST_MS,
  );
});
