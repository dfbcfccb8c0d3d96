import { setTimeout as sleep } from 'node:timers/promises';

import { runCli } from '../harness/cli.js';
import { type BenchStack, forgetVisits, LINKS } from './bench-stack.js';
import { percentile, spreadOf } from './numbers.js';
import { produceVisits } from './produce-visits.js';
import type { Section } from './report.js';
import { timeRequests } from './time-requests.js';

const PER_SECOND = 2_000;
const SECONDS = 60;
/** By then the link is promoted and folded; before, its open hour is read from the ledger. */
const WARM_AFTER_SECONDS = 15;
const HOT_LINK = LINKS - 2;

/** (e) Statistics of the open hour of a link while it is hot. */
export async function benchHeat(bench: BenchStack): Promise<Section> {
  await forgetVisits(bench.pool);
  const open = { p50: [] as number[], p95: [] as number[], visits: [] as number[] };
  let unfolded = 0;
  for (let run = 1; run <= bench.runs; run += 1) {
    const measured = await visitAndAsk(bench);
    open.p50.push(percentile(measured.timesMs, 50));
    open.p95.push(percentile(measured.timesMs, 95));
    open.visits.push(measured.visits);
    unfolded += measured.unfolded;
    bench.say(`  run ${run}: ${measured.visits} visits in the hour, p95 ${Math.round(open.p95.at(-1) ?? 0)} ms`);
    await runCli(bench.stack.file, 'verify', '--wait');
    await forgetVisits(bench.pool);
  }
  return {
    title: `Heat: statistics of a link at ${PER_SECOND.toLocaleString('en-US')} visits/s`,
    notes: [
      `Statistics: the link's open hour and nine dimensions of it, asked while its visits come in, from ${WARM_AFTER_SECONDS} to ${SECONDS} s.`,
      `${unfolded} of the answers read more than a tenth of the hour from the ledger.`,
    ],
    figures: [
      { name: 'open hour of the hot link: p50', unit: 'ms', value: spreadOf(open.p50) },
      { name: 'open hour of the hot link: p95', unit: 'ms', value: spreadOf(open.p95), target: { atMost: 200 } },
      { name: 'visits in that hour at the end', unit: '', value: spreadOf(open.visits) },
    ],
  };
}

/** Visits one link for a minute and asks for its open hour meanwhile. */
async function visitAndAsk(bench: BenchStack): Promise<{ timesMs: number[]; visits: number; unfolded: number }> {
  const startedMs = Date.now();
  const elapsedSeconds = () => (Date.now() - startedMs) / 1_000;
  const timesMs: number[] = [];
  let unfolded = 0;
  let visits = 0;
  const visiting = (async () => {
    for (let second = 0; second < SECONDS; second += 1) {
      await produceVisits(bench.stack.file.kafkaBrokers, PER_SECOND, { nextLink: () => HOT_LINK, seed: second + 1 });
      await sleep(Math.max(0, startedMs + (second + 1) * 1_000 - Date.now()));
    }
  })();
  while (elapsedSeconds() < SECONDS) {
    const hour = new Date(Math.floor(Date.now() / 3_600_000) * 3_600_000).toISOString();
    const query = new URLSearchParams({ startDate: hour, interval: 'hour', timeZone: 'UTC' }).toString();
    const path = `/rest/v3/short-urls/bench-${HOT_LINK}/stats?${query}`;
    const [timeMs] = await timeRequests(bench, 1, path, (body) => {
      const { totals, readFrom } = JSON.parse(body) as {
        totals: { visits: number };
        readFrom: { ledgerVisits: number };
      };
      visits = totals.visits;
      if (elapsedSeconds() >= WARM_AFTER_SECONDS && readFrom.ledgerVisits * 10 > visits) unfolded += 1;
    });
    if (elapsedSeconds() >= WARM_AFTER_SECONDS && timeMs !== undefined) timesMs.push(timeMs);
    await sleep(200);
  }
  await visiting;
  return { timesMs, visits, unfolded };
}
