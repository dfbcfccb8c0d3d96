import { waitUntil } from '@hopcount/testing';

import { runCli } from '../harness/cli.js';
import { call, keepAliveAgent } from '../harness/http.js';
import { seededRandom } from '../harness/random.js';
import { type BenchStack, forgetVisits, LINKS } from './bench-stack.js';
import { percentile, spreadOf } from './numbers.js';
import { rssMb } from './process-usage.js';
import { produceVisits } from './produce-visits.js';
import type { Figure, Section } from './report.js';

const VISITS = 100_000;
const DAYS = 60;
const DAY_MS = 86_400_000;
const REQUESTS = 100;
/** The last link: the redirects benchmark hardly ever visits it. */
const LINK = LINKS - 1;
const MB_AT_MOST = 300;

/** (d) Statistics of a link with 100,000 visits over 60 days, once they are in files. */
export async function benchStatistics(bench: BenchStack): Promise<Section> {
  await forgetVisits(bench.pool);
  const today = Math.floor(Date.now() / DAY_MS) * DAY_MS;
  const random = seededRandom(9);
  await produceVisits(bench.stack.file.kafkaBrokers, VISITS, {
    nextLink: () => LINK,
    timeMs: () => Math.floor(today - DAYS * DAY_MS + random() * DAYS * DAY_MS),
  });
  const files = await waitUntilSealed(bench, VISITS);
  const range = { startDate: new Date(today - DAYS * DAY_MS).toISOString(), endDate: new Date(today).toISOString() };
  const zones = [
    { name: 'in UTC', timeZone: 'UTC', p50: [] as number[], p95: [] as number[] },
    { name: 'in another zone (Asia/Kathmandu)', timeZone: 'Asia/Kathmandu', p50: [] as number[], p95: [] as number[] },
  ];
  let rss = 0;
  for (let run = 0; run <= bench.runs; run += 1) {
    for (const zone of zones) {
      const timesMs = await ask(bench, { ...range, timeZone: zone.timeZone, interval: 'day' });
      if (run === 0) continue;
      zone.p50.push(percentile(timesMs, 50));
      zone.p95.push(percentile(timesMs, 95));
    }
    rss = rssMb((await bench.stack.read()).processes.api[0] ?? 0);
  }
  await forgetVisits(bench.pool);
  const figures = zones.flatMap(({ name, timeZone, p50, p95 }): Figure[] => [
    { name: `p50 ${name}`, unit: 'ms', value: spreadOf(p50) },
    { name: `p95 ${name}`, unit: 'ms', value: spreadOf(p95), ...(timeZone === 'UTC' && { target: { atMost: 100 } }) },
  ]);
  figures.push({ name: 'api: RSS', unit: 'MB', value: spreadOf([rss]), target: { atMost: MB_AT_MOST } });
  return {
    title: `Statistics of a link: ${VISITS.toLocaleString('en-US')} visits over ${DAYS} days, in ${files} files`,
    notes: [
      `${REQUESTS} requests one after the other a run: totals, a point a day and nine dimensions over all of it.`,
    ],
    figures,
  };
}

/** Sealed, and the hours of each day merged, but for the last ones of a day that ended just now. @returns how many files */
export async function waitUntilSealed(bench: BenchStack, visits: number): Promise<number> {
  await runCli(bench.stack.file, 'verify', '--wait');
  const { rows } = await waitUntil(
    async () => {
      const result = await bench.pool.query<{ files: string; visits: string; unmerged: string }>(
        `SELECT count(*) AS files, sum(visits) AS visits,
           count(*) FILTER (WHERE level = 'hour' AND period_end < now() - interval '1 day') AS unmerged
         FROM archive_files WHERE state = 'active'`,
      );
      const [found] = result.rows;
      return Number(found?.visits) === visits && Number(found?.unmerged) === 0 ? result : undefined;
    },
    { timeoutMs: 600_000, everyMs: 500, describe: 'every closed hour is in a file of its day' },
  );
  return Number(rows[0]?.files);
}

async function ask({ stack }: BenchStack, query: Record<string, string>): Promise<number[]> {
  const agent = keepAliveAgent(1);
  const parameters = new URLSearchParams(query).toString();
  const url = `${stack.file.apiUrl}/rest/v3/short-urls/bench-${LINK}/stats?${parameters}`;
  const timesMs: number[] = [];
  for (let request = 0; request < REQUESTS; request += 1) {
    const startedMs = performance.now();
    const answer = await call(url, { headers: { 'x-api-key': stack.file.apiKey }, agent });
    timesMs.push(performance.now() - startedMs);
    if (answer.status !== 200) throw new Error(`statistics answered ${answer.status}: ${answer.body}`);
    const { totals } = JSON.parse(answer.body) as { totals: { visits: number } };
    // Another zone's first and last day lie partly outside.
    if (query['timeZone'] === 'UTC' && totals.visits !== VISITS)
      throw new Error(`${totals.visits} of ${VISITS} visits`);
  }
  agent.destroy();
  return timesMs;
}
