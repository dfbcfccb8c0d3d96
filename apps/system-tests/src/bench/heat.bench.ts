import { setTimeout as sleep } from 'node:timers/promises';

import { runCli } from '../harness/cli.js';
import { call, keepAliveAgent } from '../harness/http.js';
import { type BenchStack, FIRST_LINK_ID, forgetVisits, LINKS } from './bench-stack.js';
import { percentile, spreadOf } from './numbers.js';
import { produceVisits } from './produce-visits.js';
import type { Section } from './report.js';

const LISTED_LINKS = 100_000;
const REQUESTS = 200;
const PER_SECOND = 2_000;
const SECONDS = 60;
/** By then the link is promoted and folded; before, its open hour is read from the ledger. */
const WARM_AFTER_SECONDS = 15;
const HOT_LINK = LINKS - 2;

/** (e) Lists ordered by visits over many links; statistics of the open hour of a link while it is hot. */
export async function benchHeat(bench: BenchStack): Promise<Section> {
  await forgetVisits(bench.pool);
  await addListedLinks(bench);
  const list = { p50: [] as number[], p95: [] as number[] };
  const open = { p50: [] as number[], p95: [] as number[], visits: [] as number[] };
  let unfolded = 0;
  for (let run = 0; run <= bench.runs; run += 1) {
    const timesMs = await times(bench, REQUESTS, '/rest/v3/short-urls?orderBy=visits-DESC&itemsPerPage=20');
    if (run === 0) continue; // warms up
    list.p50.push(percentile(timesMs, 50));
    list.p95.push(percentile(timesMs, 95));
  }
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
  await bench.pool.query('DELETE FROM links WHERE id >= $1', [(FIRST_LINK_ID + BigInt(LINKS)).toString()]);
  return {
    title: `Heat: a list of ${LISTED_LINKS.toLocaleString('en-US')} links by visits; a link at ${PER_SECOND} visits/s`,
    notes: [
      `Statistics: the link's open hour and nine dimensions of it, asked while its visits come in, from ${WARM_AFTER_SECONDS} to ${SECONDS} s.`,
      `${unfolded} of the answers read more than a tenth of the hour from the ledger.`,
    ],
    figures: [
      { name: 'list by visits, page 1: p50', unit: 'ms', value: spreadOf(list.p50) },
      { name: 'list by visits, page 1: p95', unit: 'ms', value: spreadOf(list.p95), target: { atMost: 50 } },
      { name: 'open hour of the hot link: p50', unit: 'ms', value: spreadOf(open.p50) },
      { name: 'open hour of the hot link: p95', unit: 'ms', value: spreadOf(open.p95), target: { atMost: 200 } },
      { name: 'visits in that hour at the end', unit: '', value: spreadOf(open.visits) },
    ],
  };
}

/** The links of the stack and as many more as it takes, each with a total. */
async function addListedLinks({ pool }: BenchStack): Promise<void> {
  await pool.query(
    `INSERT INTO links (id, domain_id, code, long_url)
     SELECT $1::bigint + n, (SELECT domain_id FROM links WHERE id = $1::bigint), 'bench-' || n, 'https://example.com/page/' || n
     FROM generate_series($2::int, $3::int - 1) AS n ON CONFLICT DO NOTHING`,
    [FIRST_LINK_ID.toString(), LINKS, LISTED_LINKS],
  );
  await pool.query(
    `INSERT INTO link_totals (link_id, visits, non_bot_visits)
     SELECT id, 1 + (random() * 100000)::int, 1 FROM links WHERE id >= $1 ON CONFLICT DO NOTHING`,
    [FIRST_LINK_ID.toString()],
  );
  await pool.query(
    `INSERT INTO link_visit_slots SELECT link_id, false, 0, visits FROM link_totals ON CONFLICT DO NOTHING`,
  );
  await pool.query('ANALYZE links, link_totals, link_visit_slots');
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
    const [timeMs] = await times(bench, 1, path, (body) => {
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

async function times(
  { stack }: BenchStack,
  count: number,
  path: string,
  look: (body: string) => void = () => undefined,
): Promise<number[]> {
  const agent = keepAliveAgent(1);
  const timesMs: number[] = [];
  for (let request = 0; request < count; request += 1) {
    const startedMs = performance.now();
    const answer = await call(`${stack.file.apiUrl}${path}`, { headers: { 'x-api-key': stack.file.apiKey }, agent });
    timesMs.push(performance.now() - startedMs);
    if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}: ${answer.body}`);
    look(answer.body);
  }
  agent.destroy();
  return timesMs;
}
