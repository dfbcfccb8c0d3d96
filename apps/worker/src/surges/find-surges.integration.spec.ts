import { surgeBase, WINDOW_MS } from '@hopcount/hosts';
import { bucketOf, type EnrichedVisit } from '@hopcount/ledger';
import { enrichedVisit, Ledger } from '@hopcount/ledger/spec-helpers';
import { WebhookStore } from '@hopcount/links';
import { createLogger, Registry } from '@hopcount/runtime';
import { daysBeforeIn, HostPasts } from '@hopcount/statistics';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import { createWorkerMetrics } from '../worker.metrics.js';
import { findSurges } from './find-surges.js';
import { SurgeSearch } from './surge-search.js';

const MINUTE = 60_000;
const QUARTER = 15 * MINUTE;
/** Of the time that is searched; all of it has passed. */
const START = bucketOf(Date.now()) - 8 * QUARTER;
/** Visits are expected to be published within. */
const SLACK = 15_000;
const daysBefore = daysBeforeIn('Europe/Berlin');
const going = new AbortController().signal;

let ledger: Ledger;
let commit: (visits: readonly EnrichedVisit[]) => Promise<unknown>;

beforeAll(async () => {
  ledger = await Ledger.open();
  for (const id of ['1', '2']) await ledger.addLink(id);
  commit = await ledger.consumer('off');
  await usual('com.example', 30);
  await usual('com.example.shop', 30);
  await usual('com.steady', 120);
});
beforeEach(async () => {
  await ledger.server.query('TRUNCATE host_changes, host_surges, host_alerts, visits, webhook_events');
  await ledger.server.query('UPDATE host_surge_search SET until = $1, moved_at = NULL', [new Date(START)]);
});
afterAll(() => ledger.close());

/** So many visits in each quarter of an hour of the three days before. */
async function usual(name: string, visits: number) {
  await ledger.server.query(
    `WITH host AS (INSERT INTO hosts (kind, name) VALUES (0, $1) RETURNING id)
     INSERT INTO host_traffic (kind, host_id, bucket, class, p, n, checksum)
     SELECT 0, id, $2::timestamptz - nr * interval '15 minutes', 0, $3, 0, 0 FROM host, generate_series(1, 288) AS nr`,
    [name, new Date(START), visits],
  );
}

/** One visit a second for five minutes, to a shop and two names below it. */
function surge(fromMs: number): EnrichedVisit[] {
  return Array.from({ length: 300 }, (_, nth) =>
    enrichedVisit({
      atMs: fromMs + nth * 1_000,
      linkId: nth % 10 === 0 ? '2' : '1',
      class: nth % 4 === 0 ? 'bot' : 'human',
      country: nth % 3 === 0 ? 'DE' : 'FR',
      referrerHost: nth % 2 === 0 ? 'example.org' : 'news.test',
      targetHost: `${['', 'a.', '', 'b.'][nth % 10] ?? ''}shop.example.com`,
    }),
  );
}

/** [what, host, seconds since START, visits] */
const told = async () => {
  const rows = await ledger.server.query<{ what: string; host: string; at: Date; visits: string }>(
    'SELECT what, host, at, visits FROM host_alerts ORDER BY id',
  );
  return rows.map(({ what, host, at, visits }) => [what, host, (at.getTime() - START) / 1_000, Number(visits)]);
};
const ONE_SURGE = [
  ['opened', 'com.example.shop', 180, 120],
  ['closed', 'com.example.shop', 910, 0],
];
const searcher = () => new SurgeSearch(ledger.database, daysBefore, { takenOverAfterSeconds: 0 });
/** Looks every ten seconds while it begins, then every thirty, as far as a `countedUpTo` that goes on. */
async function follow(look: (countedUpTo: number) => Promise<unknown>) {
  for (let second = 10; second < 960; second += second < 200 ? 10 : 30) await look(START + second * 1_000 + SLACK);
}

describe('a surge of a host', () => {
  it('is told once, at the lowest name that has it, explains itself, and is measured while it goes on', async () => {
    await new WebhookStore(ledger.database, { allowPrivateTargets: false }).create({
      ...{ url: 'https://hook.example.com/', description: '', events: ['host.surged'], visits: [] },
    });
    const beside = enrichedVisit({ atMs: START + 2 * MINUTE, linkId: '2', targetHost: 'not-shop.example.com' });
    await commit([...surge(START + MINUTE), beside]);
    const registry = new Registry();
    let countedUpTo = 0;
    const { work } = findSurges({
      ...{
        config: { reportingTimeZone: 'Europe/Berlin', consumerGroup: 'spec', visitsTopic: 'visits' } as never,
        database: ledger.database,
      },
      ...{ metrics: createWorkerMetrics(registry), logger: createLogger({ name: 'spec', level: 'silent' }) },
      counted: { measure: () => Promise.resolve(countedUpTo) } as never,
    });
    const open: string[] = [];
    const delays: number[] = [];
    const uneven = new Set<string>();
    await follow(async (at) => {
      countedUpTo = at;
      await work(going);
      const metrics = await registry.metrics();
      open.push(/^hopcount_host_surges_open (\d)$/m.exec(metrics)?.[1] ?? '?');
      uneven.add(/^hopcount_host_slot_imbalance_ratio\{kind="target"\} (\d+)$/m.exec(metrics)?.[1] ?? '?');
      const delay = Number(/^hopcount_host_search_delay_seconds (\d+)/m.exec(metrics)?.[1]);
      delays.push(Math.floor(Date.now() / 1_000) - delay);
    });
    expect(await told()).toEqual(ONE_SURGE);
    expect([open.indexOf('1'), open.lastIndexOf('1')]).toEqual([17, 42]);
    // All visits are of one site, which nothing could spread: even. Before and behind them there are none.
    expect([...uneven].sort()).toEqual(['0', '1']);
    // The time that was searched up to goes on.
    expect(Math.max(...delays) - Math.min(...delays)).toBeGreaterThan(600);
    const explanation = {
      ...{ visits: 120, bots: 30, children: 2 },
      links: [
        { domain: 's.test', shortCode: '1', visits: 108 },
        { domain: 's.test', shortCode: '2', visits: 12 },
      ],
      referrers: [
        { referrer: 'example.org', visits: 60 },
        { referrer: 'news.test', visits: 60 },
      ],
      countries: [
        { country: 'FR', visits: 80 },
        { country: 'DE', visits: 40 },
      ],
    };
    expect(await ledger.server.query('SELECT explanation, base FROM host_alerts ORDER BY id')).toEqual([
      { explanation, base: 10 },
      { explanation: null, base: 10 },
    ]);
    const events = await ledger.server.query<{ body: string }>('SELECT body FROM webhook_events');
    expect(events.map(({ body }) => JSON.parse(body) as unknown)).toEqual([
      {
        type: 'host.surged',
        timestamp: expect.stringMatching(/Z$/),
        data: {
          ...{ id: expect.stringMatching(/^\d+$/), kind: 'target', host: 'shop.example.com', what: 'opened' },
          windowStart: new Date(START + 180_000 - WINDOW_MS).toISOString(),
          ...{ windowSeconds: 300, visits: 120, usualVisits: 10, new: false, explanation },
        },
      },
    ]);
  }, 120_000);

  it('is told once when each look is by another searcher, as if the one before had been killed', async () => {
    await commit(surge(START + MINUTE));
    await follow((at) => searcher().search(at, going));
    expect(await told()).toEqual(ONE_SURGE);
  }, 120_000);

  it('is told once when two search at the same time', async () => {
    await commit(surge(START + MINUTE));
    const [one, other] = [searcher(), searcher()];
    await follow((at) => Promise.all([one.search(at, going), other.search(at, going)]));
    expect(await told()).toEqual(ONE_SURGE);
  }, 120_000);

  it('in a backlog is told with its own time, and the backlog and a replay of it are none', async () => {
    const steady = Array.from({ length: 400 }, (_, nth) =>
      enrichedVisit({ atMs: START + nth * 7_500, linkId: '1', targetHost: 'steady.com' }),
    );
    const visits = [...steady, ...surge(START + 20 * MINUTE)];
    const search = searcher();
    await search.search(START + SLACK, going);
    await commit(visits.slice(0, 200));
    // Consumers work it off; nobody knows yet how far all is counted.
    await search.search(undefined, going);
    await commit(visits.slice(200));
    const report = await search.search(START + 50 * MINUTE + SLACK, going);
    const expected = [
      ['opened', 'com.example.shop', 19 * 60 + 180, 120],
      ['closed', 'com.example.shop', 19 * 60 + 910, 0],
    ];
    expect(await told()).toEqual(expected);
    expect(report).toMatchObject({ skippedMs: 0, surges: [{}, {}] });
    await commit(visits);
    await search.search(START + 60 * MINUTE, going);
    expect(await told()).toEqual(expected);
  }, 120_000);

  it('is not looked for in a time that had more hosts than memory is for; the search goes on behind it', async () => {
    const names = Array.from({ length: 250 }, (_, nth) => `h${nth}.test`);
    await commit(names.map((targetHost) => enrichedVisit({ atMs: START + MINUTE, targetHost })));
    const search = new SurgeSearch(ledger.database, daysBefore, { sums: 200 });
    expect(await search.search(START + 30 * MINUTE + SLACK, going)).toEqual({ surges: [], skippedMs: 30 * MINUTE });
    await commit(surge(START + 31 * MINUTE).filter(({ targetHost }) => targetHost.startsWith('shop')));
    await search.search(START + 40 * MINUTE + SLACK, going);
    expect((await told()).map(([what, host]) => [what, host])).toEqual([['opened', 'com.example.shop']]);
  }, 120_000);
});

describe('what a host usually has', () => {
  it('is of itself and all below it, with what is not folded; not of before it was seen, nor of its surges', async () => {
    const wanted = [
      { kind: 0, name: 'com.example' },
      { kind: 0, name: 'com.nobody' },
    ];
    await ledger.server.query(
      `INSERT INTO host_changes (kinds, hosts, cells, classes, p, n, checksums)
       VALUES ('{0,0,2}', '{com.example.new.a,com.example-not.a,com.example}', $1, '{0,0,0}', '{5,7,9}', '{1,0,0}', '{0,0,0}')`,
      [[1, 1, 1].map(() => (START - QUARTER) / 10_000)],
    );
    const alert = `INSERT INTO host_alerts (alert_id, kind, host, what, at, visits, base, is_new, reason)
      VALUES ($1, 0, 'com.example.shop', $2, $3, 200, 10, false, $4) RETURNING id`;
    const surged = async (openedAt: number, closedAt: number, reason: string) => {
      const [row] = await ledger.server.query<{ id: string }>(alert, [null, 'opened', new Date(openedAt), null]);
      await ledger.server.query(alert, [row?.id, 'closed', new Date(closedAt), reason]);
    };
    await surged(START - 5 * QUARTER + 6 * MINUTE, START - 5 * QUARTER + 10 * MINUTE, 'over');
    await surged(START - 7 * QUARTER + 6 * MINUTE, START - 7 * QUARTER + 10 * MINUTE, 'lasting');
    const [site, nobody] = await new HostPasts(ledger.database, daysBefore).read(wanted, START);
    const back = (past: typeof site, quarters: number) => past?.visitsIn(START - quarters * QUARTER);
    expect([1, 2, 5, 7, 96].map((quarters) => back(site, quarters))).toEqual([64, 60, undefined, 60, 60]);
    expect([back(site, 7 * 96), back(nobody, 1)]).toEqual([undefined, undefined]);
    expect(surgeBase(site!, START + MINUTE)).toMatchObject({ visits: 20, isNew: false });
    expect(surgeBase(nobody!, START + MINUTE)).toMatchObject({ isNew: true });
  });
});
