import type { Page, ShortUrl } from '@hopcount/contracts';

import { runCli } from '../harness/cli.js';
import { seededRandom, zipfPicker } from '../harness/random.js';
import { type BenchStack, FIRST_LINK_ID, forgetVisits, LINKS } from './bench-stack.js';
import { percentile, spreadOf } from './numbers.js';
import { produceVisits } from './produce-visits.js';
import type { Section } from './report.js';
import { timeRequests } from './time-requests.js';

const LISTED_LINKS = Number(process.env['BENCH_LISTED_LINKS'] ?? 100_000);
const VISITS_PER_LINK = 2;
const REQUESTS = 200;
const PATH = '/rest/v3/short-urls?itemsPerPage=20&orderBy=visits-';

/** (g) Page 1 of the list of all links by visits. Their visits go the real way: what is listed is what is counted. */
export async function benchList(bench: BenchStack): Promise<Section> {
  await forgetVisits(bench.pool);
  await addLinks(bench);
  await visitLinks(bench);
  const order = {
    DESC: { p50: [] as number[], p95: [] as number[] },
    ASC: { p50: [] as number[], p95: [] as number[] },
  };
  for (let run = 0; run <= bench.runs; run += 1) {
    for (const direction of ['DESC', 'ASC'] as const) {
      const timesMs = await timeRequests(bench, REQUESTS, PATH + direction);
      if (run === 0) continue; // warms up
      order[direction].p50.push(percentile(timesMs, 50));
      order[direction].p95.push(percentile(timesMs, 95));
    }
    if (run > 0) bench.say(`  run ${run}: p95 ${order.DESC.p95.at(-1)?.toFixed(1)} ms`);
  }
  await assertPageIsRight(bench);
  await forgetVisits(bench.pool);
  await bench.pool.query('DELETE FROM links WHERE id >= $1', [(FIRST_LINK_ID + BigInt(LINKS)).toString()]);
  return {
    title: `The list of ${LISTED_LINKS.toLocaleString('en-US')} links by visits, page 1 of 20 links`,
    notes: [
      `${REQUESTS} requests one after the other a run; ${(LISTED_LINKS * VISITS_PER_LINK).toLocaleString('en-US')} visits counted, half of them drawn Zipf-like.`,
      'Every total on the page was compared with a count over the ledger.',
    ],
    figures: [
      { name: 'most visits first: p50', unit: 'ms', value: spreadOf(order.DESC.p50) },
      { name: 'most visits first: p95', unit: 'ms', value: spreadOf(order.DESC.p95), target: { atMost: 50 } },
      { name: 'fewest first: p50', unit: 'ms', value: spreadOf(order.ASC.p50) },
      { name: 'fewest first: p95', unit: 'ms', value: spreadOf(order.ASC.p95), target: { atMost: 50 } },
    ],
  };
}

async function addLinks({ pool }: BenchStack): Promise<void> {
  await pool.query(
    `INSERT INTO links (id, domain_id, code, long_url)
     SELECT $1::bigint + n, (SELECT domain_id FROM links WHERE id = $1::bigint), 'bench-' || n, 'https://example.com/page/' || n
     FROM generate_series($2::int, $3::int - 1) AS n ON CONFLICT DO NOTHING`,
    [FIRST_LINK_ID.toString(), LINKS, LISTED_LINKS],
  );
}

/** As many visits spread evenly as drawn Zipf-like: nearly every link has some, and the totals differ. */
async function visitLinks(bench: BenchStack): Promise<void> {
  const random = seededRandom(21);
  const popular = zipfPicker(random, LISTED_LINKS);
  let drawn = 0;
  const nextLink = () => ((drawn += 1) % 2 === 0 ? popular() : Math.floor(random() * LISTED_LINKS));
  await produceVisits(bench.stack.file.kafkaBrokers, LISTED_LINKS * VISITS_PER_LINK, { nextLink, seed: 21 });
  bench.say(`  ${LISTED_LINKS * VISITS_PER_LINK} visits are in the topic`);
  await runCli(bench.stack.file, 'verify', '--wait', '--wait-seconds', '240');
  await bench.pool.query('ANALYZE');
}

async function assertPageIsRight(bench: BenchStack): Promise<void> {
  let page: ShortUrl[] = [];
  await timeRequests(bench, 1, `${PATH}DESC`, (body) => {
    page = (JSON.parse(body) as { shortUrls: Page<ShortUrl> }).shortUrls.data;
  });
  const { rows } = await bench.pool.query<{ visits: string }>(
    'SELECT count(*) AS visits FROM visits GROUP BY link_id ORDER BY count(*) DESC LIMIT $1',
    [page.length],
  );
  const shown = page.map((link) => link.visitsSummary.total);
  const counted = rows.map(({ visits }) => Number(visits));
  if (JSON.stringify(shown) !== JSON.stringify(counted))
    throw new Error(`listed ${shown.join()}; counted ${counted.join()}`);
}
