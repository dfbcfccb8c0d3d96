import { type BenchStack, FIRST_LINK_ID, forgetVisits, LINKS } from './bench-stack.js';
import { percentile, spreadOf } from './numbers.js';
import type { Section } from './report.js';
import { timeRequests } from './time-requests.js';

const VISITS = Number(process.env['BENCH_LISTED_VISITS'] ?? 10_000_000);
const ITEMS = 5_000;
const REQUESTS = 10;
const DAYS = 30;
const AT_A_TIME = 1_000_000;
const LAST_PAGE = Math.ceil(VISITS / ITEMS);
const PAGES = { first: 1, middle: Math.ceil(LAST_PAGE / 2), last: LAST_PAGE };
/** Half of all visits are of one link. */
const HOT_LINK = FIRST_LINK_ID.toString();

/** Pages of a list of visits: of all links, and of a link that has half of them. */
export async function benchVisits(bench: BenchStack): Promise<Section> {
  await forgetVisits(bench.pool);
  await addVisits(bench);
  const lists = {
    'all visits': { path: '/rest/v3/visits/non-orphan', pages: PAGES },
    'one link with half of them': {
      path: '/rest/v3/short-urls/bench-0/visits',
      pages: { first: 1, last: Math.ceil(LAST_PAGE / 2) },
    },
  };
  const cases = Object.entries(lists).flatMap(([name, { path, pages }]) =>
    Object.entries(pages).map(([place, page]) => ({
      ...{ name: `${name}, ${place} page`, path: `${path}?itemsPerPage=${ITEMS}&page=${page}`, p50: [] as number[] },
    })),
  );
  for (let run = 1; run <= bench.runs; run += 1) {
    for (const one of cases) {
      await timeRequests(bench, 2, one.path); // warms up
      one.p50.push(percentile(await timeRequests(bench, REQUESTS, one.path), 50));
      bench.say(`  run ${run}: ${one.name}: ${one.p50.at(-1)?.toFixed(0)} ms`);
    }
  }
  await forgetVisits(bench.pool);
  const first = spreadOf(cases[0]?.p50 ?? []).median;
  return {
    title: `Lists of ${VISITS.toLocaleString('en-US')} visits in the ledger, pages of ${ITEMS.toLocaleString('en-US')}`,
    notes: [`Median of ${REQUESTS} requests one after the other a run; the visits lie in the last ${DAYS} days.`],
    figures: cases.map(({ name, p50 }) => ({
      name,
      unit: 'ms',
      value: spreadOf(p50),
      ...(name === 'all visits, last page' ? { target: { atMost: 2 * first } } : {}),
    })),
  };
}

/** As commits leave them, but for dimensions, slots and sources, which lists of visits do not look at. */
async function addVisits({ pool, say }: BenchStack): Promise<void> {
  for (let from = 0; from < VISITS; from += AT_A_TIME) {
    await pool.query(
      `INSERT INTO visits (occurred_at, event_id, link_id, visitor, ip, class, enrichment_version, country, region, city, os, browser,
         device, network, referrer_host, language, user_agent, destination, source, target_host)
       SELECT to_timestamp(ms / 1000.0), (lpad(to_hex(ms), 12, '0') || '7' || substr(md5(n::text), 1, 3) || '8' || substr(md5(n::text), 4, 15))::uuid,
         $1::bigint + CASE WHEN n % 2 = 0 THEN 0 ELSE 1 + n % ($2::int - 1) END, n, n % 100000, (n % 10 = 0)::int, 1, 'DE', 'Bavaria', 'Munich',
         'Linux', 'Firefox', 'desktop', 'unknown', 'direct', 'de', 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0)', 'https://example.com/', 'bench', 'example.com'
       FROM (
         SELECT n, (extract(epoch FROM date_trunc('hour', now())) * 1000)::bigint - ($4::bigint - n) * ($5::bigint / $4::bigint) AS ms
         FROM generate_series($3::bigint, least($3 + $6::bigint, $4) - 1) AS n
       ) AS made`,
      [HOT_LINK, LINKS, from, VISITS, DAYS * 86_400_000, AT_A_TIME],
    );
    say(`  ${Math.min(VISITS, from + AT_A_TIME).toLocaleString('en-US')} visits are in the ledger`);
  }
  await pool.query(
    `INSERT INTO link_traffic (link_id, bucket, class, visits, checksum)
     SELECT link_id, date_bin('15 minutes', occurred_at, '2000-01-01 00:00:00+00'), class, count(*), bit_xor(event_checksum(event_id))
     FROM visits GROUP BY 1, 2, 3`,
  );
  await pool.query(
    `INSERT INTO scope_traffic (scope, scope_id, bucket, class, visits, checksum)
     SELECT 'all', '', bucket, class, sum(visits), bit_xor(checksum) FROM link_traffic GROUP BY bucket, class`,
  );
  await pool.query('VACUUM ANALYZE visits, link_traffic, scope_traffic');
}
