import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';

import type { HostVisits, ShortUrl } from '@hopcount/contracts';
import { freePorts, waitUntil } from '@hopcount/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { FaultProxy } from '../chaos/fault-proxy.js';
import { expectEverythingCounted } from '../harness/counting.spec-helpers.js';
import { added } from '../harness/host-sums.js';
import { call } from '../harness/http.js';
import { Ledger } from '../harness/ledger.js';
import { LinksApi } from '../harness/links.js';
import { type RunningStack, startStack } from '../harness/stack.js';
import { VisitorLoad } from '../harness/visitor-load.js';

/** `BLACK_HOLE_MINUTES=10 npm run test:machines -- data-centres` is the whole of it. */
const BLACK_HOLE_MS = Number(process.env['BLACK_HOLE_MINUTES'] ?? 1) * 60_000;
const START_MS = 240_000;
const TEST_MS = BLACK_HOLE_MS + 600_000;
const PAUSE_MS = 100;
const SHARED = 'shared.example';

/** A data centre: a whole stack, its visitors, and the way to the brokers of the other one. */
interface Side {
  stack: RunningStack;
  ledger: Ledger;
  links: ShortUrl[];
  load: VisitorLoad;
}

async function openSide(dc: string, settings: Record<string, string>): Promise<Side> {
  const stack = await startStack({ env: { DATACENTER: dc, ...settings } });
  const api = new LinksApi(stack.file);
  const links: ShortUrl[] = [];
  for (const host of [SHARED, `${dc}.example`, `www.${dc}.example`]) {
    links.push(await api.create({ longUrl: `https://${host}/` }));
  }
  const load = new VisitorLoad({ gatewayUrl: stack.file.gatewayUrl, links, concurrency: 8, seed: 14 });
  return { stack, links, load, ledger: await Ledger.open(stack.file.databaseUrl) };
}

/** kill -9 of everything, stores included; its supervisor starts all of it again. */
async function killWhole({ stack }: Side): Promise<void> {
  const { processes } = await stack.read();
  await Promise.all((Object.keys(processes) as (keyof typeof processes)[]).map((kind) => stack.kill(kind)));
}

async function askedFor({ stack: { file } }: Side, host: string): Promise<HostVisits> {
  const headers = { 'x-api-key': file.apiKey };
  const answer = await call(`${file.apiUrl}/rest/v3/hosts/target/${host}?scope=self`, { headers });
  if (answer.status !== 200) throw new Error(`${host}: ${answer.status} ${answer.body}`);
  return JSON.parse(answer.body) as HostVisits;
}

describe('two data centres on one machine', () => {
  const ways: FaultProxy[] = [];
  let a: Side;
  let b: Side;

  beforeAll(async () => {
    const [kafkaA = 0, kafkaB = 0] = await freePorts(2);
    const [toA, toB] = await Promise.all(
      [kafkaA, kafkaB].map((port) => FaultProxy.listen(0, port, { isBroker: true })),
    );
    ways.push(toA!, toB!);
    a = await openSide('a', { KAFKA_PORT: String(kafkaA), HOST_PEERS: `b=127.0.0.1:${toB!.port}` });
    b = await openSide('b', { KAFKA_PORT: String(kafkaB), HOST_PEERS: `a=127.0.0.1:${toA!.port}` });
  }, 2 * START_MS);
  afterAll(async () => {
    for (const side of [a, b]) {
      side?.load.close();
      await side?.ledger.close();
      await side?.stack.stop();
    }
    await Promise.all(ways.map((way) => way.close()));
  }, START_MS);

  const bothLedgers = async () => added(await a.ledger.hosts.ledger(), await b.ledger.hosts.ledger());
  const untilEqual = (describe: string) =>
    waitUntil(
      async () => {
        const both = await bothLedgers();
        const shown = await Promise.all([a, b].map(({ ledger }) => ledger.hosts.totals()));
        return shown.every((totals) => isDeepStrictEqual(totals, both));
      },
      { timeoutMs: 120_000, everyMs: 200, describe },
    );
  const untilFolded = ({ ledger }: Side) =>
    waitUntil(async () => isDeepStrictEqual(await ledger.hosts.ownTotals(), await ledger.hosts.ledger()), {
      ...{ timeoutMs: 120_000, everyMs: 200, describe: 'own visits are in the totals' },
    });

  it(
    'count on through a link that swallows everything and the death of a whole side: once it is healed both show the sum of both ledgers',
    async () => {
      await Promise.all([a.load.run(200), b.load.run(200)]);
      await untilEqual('both are equal at first');

      for (const way of ways) way.break({ kind: 'blackhole' });
      const brokenAtMs = Date.now();
      const known = await a.ledger.hosts.peerTotals();
      const halt = AbortSignal.timeout(BLACK_HOLE_MS);
      const loads = [a, b].map(({ load }) => load.run(Number.MAX_SAFE_INTEGER, { signal: halt, pauseMs: PAUSE_MS }));
      await sleep(BLACK_HOLE_MS / 2);
      await killWhole(b);
      const before = b.load.acknowledged.size;
      await Promise.all(loads);
      await b.load.run(100);
      expect(b.load.acknowledged.size).toBeGreaterThan(before);
      for (const side of [a, b]) await expectEverythingCounted(side.stack, side);
      await Promise.all([untilFolded(a), untilFolded(b)]);
      expect(ways.map(({ touched }) => touched > 0)).toEqual([true, true]);
      expect(await a.ledger.hosts.peerTotals()).toEqual(known);
      const [peer] = (await askedFor(a, SHARED)).dataCentres.filter(({ own }) => !own);
      expect(Date.parse(peer?.asOf ?? '')).toBeLessThanOrEqual(brokenAtMs);

      for (const way of ways) way.heal({ isSaid: false });
      const healedAtMs = performance.now();
      await untilEqual('both show the sum of both ledgers');
      const seconds = (performance.now() - healedAtMs) / 1_000;
      const visits = a.load.acknowledged.size + b.load.acknowledged.size;
      process.stderr.write(
        `two data centres: ${visits} visits, ${BLACK_HOLE_MS / 60_000} min apart, equal ${seconds.toFixed(1)} s after\n`,
      );
      const isSaid = async (side: Side) => {
        const { allTime } = await askedFor(side, SHARED);
        const all = [...(await bothLedgers())].filter(([key]) => key.startsWith('0 example.shared '));
        return allTime.visits === all.reduce((sum, [, count]) => sum + count, 0);
      };
      for (const side of [a, b]) {
        await waitUntil(() => isSaid(side), { timeoutMs: 30_000, describe: 'the api says so' });
      }
    },
    TEST_MS,
  );
});
