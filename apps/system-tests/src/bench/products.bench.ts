import { waitUntil } from '@hopcount/testing';

import { seededRandom, zipfPicker } from '../harness/random.js';
import { countedOffsets } from './counted.js';
import { type BenchStack, forgetVisits } from './bench-stack.js';
import { percentile, spreadOf } from './numbers.js';
import { produceVisits } from './produce-visits.js';
import type { Figure, Section } from './report.js';
import { waitUntilSealed } from './statistics.bench.js';
import { timeRequests } from './time-requests.js';
import { VisitFiles } from './visit-files.js';

const MOST_VISITS = 2_000_000;
const DAYS = 90;
const DAY_MS = 86_400_000;
/** Pages of the one site: a short URL each. */
const PAGES = 1_000;
const VISITORS = 300_000;
const REQUESTS = 20;
const LOADED_WITHIN_MS = 3_600_000;

/** What every product of the kind shows of a site. */
const VIEWS = {
  totals: 'totals?uniques=none',
  'totals with unique visitors': 'totals?uniques=visitors',
  'visits and unique visitors by day': 'series?interval=day&uniques=visitors',
  'top 10 pages': 'links?itemsPerPage=10&uniques=none',
  'top 10 referrers': 'dimensions/referrer?itemsPerPage=10&uniques=none',
  'top 10 countries': 'dimensions/country?itemsPerPage=10&uniques=none',
  'by day, one country': 'series?interval=day&uniques=visitors&filter[]=country=DE',
};

/** (j) One site's visits of 90 days, counted and sealed as in life, in the views that other products have, too. */
export async function benchProducts(bench: BenchStack): Promise<Section> {
  const { pool, stack, say } = bench;
  const count = Math.min(bench.visits, MOST_VISITS);
  await forgetVisits(pool);
  const to = Math.floor(Date.now() / DAY_MS) * DAY_MS;
  const from = to - DAYS * DAY_MS;
  await stack.hold('worker');
  const startedMs = performance.now();
  const before = await countedOffsets(bench);
  await load(bench, count, (nth) => Math.floor(from + ((nth + 0.5) / count) * (to - from)));
  await waitUntil(async () => (await countedOffsets(bench)) - before >= count, {
    timeoutMs: LOADED_WITHIN_MS,
    everyMs: 500,
    describe: 'all visits are counted',
  });
  const countedMs = performance.now();
  say(`  counted in ${Math.round((countedMs - startedMs) / 1_000)} s; sealing`);
  await stack.resume('worker');
  const files = await waitUntilSealed(bench, count);
  const sealedMs = performance.now();
  const figures: Figure[] = [
    {
      name: 'produced and counted, from the first to the last',
      unit: 'visits/s',
      value: spreadOf([(count / (countedMs - startedMs)) * 1_000]),
    },
    { name: 'then until all is in files of days', unit: 's', value: spreadOf([(sealedMs - countedMs) / 1_000]) },
    ...(await timeViews(bench, { from, to, count })),
  ];
  await forgetVisits(pool);
  return {
    title: `Products: ${count.toLocaleString('en-US')} visits of one site over ${DAYS} days, in the views that others have`,
    notes: [
      `${PAGES.toLocaleString('en-US')} pages and ${VISITORS.toLocaleString('en-US')} visitors drawn Zipf-like, in the order of time; ${files} files, the ledger has all of it, too.`,
      `${REQUESTS} requests a run through HTTP, one after the other, after one to warm up. Other products: see BENCHMARKS.md.`,
    ],
    figures,
  };
}

async function load(bench: BenchStack, count: number, timeMs: (nth: number) => number): Promise<void> {
  const files = bench.files === undefined ? undefined : new VisitFiles(bench.files);
  const nextLink = zipfPicker(seededRandom(17), PAGES);
  const look = files && ((visit: Parameters<VisitFiles['add']>[0]) => files.add(visit));
  const brokers = bench.stack.file.kafkaBrokers;
  await produceVisits(brokers, count, { nextLink, timeMs, seed: 17, visitors: VISITORS, ...(look && { look }) });
  files?.close();
}

async function timeViews(bench: BenchStack, { from, to, count }: { from: number; to: number; count: number }) {
  const range = `startDate=${new Date(from).toISOString()}&endDate=${new Date(to).toISOString()}`;
  const figures: Figure[] = [];
  for (const [name, view] of Object.entries(VIEWS)) {
    const path = `/rest/v3/statistics/${view}&${range}`;
    const [p50, p95] = [new Array<number>(), new Array<number>()];
    await timeRequests(bench, 1, path, (body) => {
      if (name === 'totals') expectAll(body, count);
    });
    for (let run = 0; run < bench.runs; run += 1) {
      const timesMs = await timeRequests(bench, REQUESTS, path);
      p50.push(percentile(timesMs, 50));
      p95.push(percentile(timesMs, 95));
    }
    bench.say(`  ${name}: p95 ${p95.at(-1)?.toFixed(0)} ms`);
    figures.push({ name: `p50: ${name}`, unit: 'ms', value: spreadOf(p50) });
    figures.push({ name: `p95: ${name}`, unit: 'ms', value: spreadOf(p95) });
  }
  return figures;
}

function expectAll(body: string, count: number): void {
  const { totals, exact } = JSON.parse(body) as { totals: { visits: number }; exact: boolean };
  if (totals.visits !== count || !exact) throw new Error(`${totals.visits} of ${count} visits are answered`);
}
