import type { Page, ShortUrl } from '@hopcount/contracts';

import { runCli } from '../harness/cli.js';
import { seededRandom, zipfPicker } from '../harness/random.js';
import { type BenchStack, FIRST_LINK_ID, forgetVisits, LINKS } from './bench-stack.js';
import { percentile, spreadOf } from './numbers.js';
import { produceVisits } from './produce-visits.js';
import type { Section } from './report.js';
import { timeRequests } from './time-requests.js';

const LISTED_LINKS = Number(process.env['BENCH_LISTED_LINKS'] ?? 1_000_000);
const VISITS = 200_000;
const REQUESTS = 40;
const ITEMS = 20;
const PAGES = Math.ceil(LISTED_LINKS / ITEMS);

const ORDERS = ['dateCreated', 'shortCode', 'longUrl', 'title', 'visits', 'nonBotVisits'];
const FILTERS: Record<string, string> = {
  'a word of a few titles': 'searchTerm=offer-4711',
  'a host of 200 links': 'searchTerm=site4242.',
  'a word of nothing': 'searchTerm=qqzzxx',
  'a small tag': 'tags[]=tag-900',
  'the largest tag': 'tags[]=tag-0',
  'one of two tags': 'tags[]=tag-7&tags[]=tag-8',
  'both of two tags': 'tags[]=tag-0&tags[]=tag-8&tagsMode=all',
  'a day of creation': 'startDate=2025-02-01&endDate=2025-02-01',
  'the default domain': 'domain=DEFAULT',
  'a word and a tag, by visits': 'searchTerm=site4242.&tags[]=tag-0&orderBy=visits-DESC',
};
/** As Shlink's web client asks on each of its pages. */
const ALL_TAGS = 'all 10,000 tags with their sums';
/** Their totals are lower bounds. */
const BROAD_FILTERS: Record<string, string> = {
  'a word of a sixth of the links': 'searchTerm=campaign',
  'a word of a sixth of the links, by visits': 'searchTerm=campaign&orderBy=visits-DESC',
  'a word of every link': 'searchTerm=https',
  'two characters': 'searchTerm=qz',
  'one character': 'searchTerm=a',
};
/** No index leads there: the work grows with the links that are passed. */
const DEEP_PAGES: Record<string, string> = {
  'page 3,000 of the largest tag': 'tags[]=tag-0&page=3000',
  'page 500 of a word of a sixth of the links': 'searchTerm=campaign&page=500',
};

/** (g) Pages of a list of 1,000,000 links. Their visits go the real way: what is listed is what is counted. */
export async function benchList(bench: BenchStack): Promise<Section> {
  await addLinks(bench);
  await forgetVisits(bench.pool);
  await visitLinks(bench);
  const paths = Object.entries(listPaths());
  const p95 = new Map(paths.map(([name]) => [name, [] as number[]]));
  for (let run = 1; run <= bench.runs; run += 1) {
    for (const [name, path] of paths) {
      await timeRequests(bench, 3, path); // warms up
      p95.get(name)?.push(percentile(await timeRequests(bench, REQUESTS, path), 95));
      bench.say(`  run ${run}: ${name}: p95 ${p95.get(name)?.at(-1)?.toFixed(1)} ms`);
    }
  }
  await assertPageIsRight(bench);
  await bench.pool.query('TRUNCATE link_tags');
  await bench.pool.query('DELETE FROM links WHERE id >= $1', [(FIRST_LINK_ID + BigInt(LINKS)).toString()]);
  await forgetVisits(bench.pool);
  return {
    title: `The list of ${LISTED_LINKS.toLocaleString('en-US')} links, pages of ${ITEMS}`,
    notes: [
      `p95 of ${REQUESTS} requests one after the other a run, each with its total (exact but in broad searches); ${VISITS.toLocaleString('en-US')} visits counted.`,
      'Every total on the first page by visits was compared with a count over the ledger.',
    ],
    figures: paths.map(([name]) => ({
      name,
      unit: 'ms',
      value: spreadOf(p95.get(name) ?? []),
      ...(name.startsWith('deep') || name === ALL_TAGS ? {} : { target: { atMost: 50 } }),
    })),
  };
}

function listPaths(): Record<string, string> {
  const paths: Record<string, string> = {};
  const list = `/rest/v3/short-urls?itemsPerPage=${ITEMS}&`;
  for (const field of ORDERS) {
    for (const [place, page] of Object.entries({ first: 1, middle: PAGES / 2, last: PAGES })) {
      paths[`${field}, ${place} page`] = `${list}orderBy=${field}-DESC&page=${page}`;
    }
  }
  paths[ALL_TAGS] = '/rest/v3/tags/stats';
  for (const [name, filter] of Object.entries(FILTERS)) paths[name] = list + filter;
  for (const [name, filter] of Object.entries(BROAD_FILTERS)) paths[`broad: ${name}`] = list + filter;
  for (const [name, filter] of Object.entries(DEEP_PAGES)) paths[`deep: ${name}`] = list + filter;
  return paths;
}

/** Titles on every second link; 5,000 hosts; 1,000 tags, the first on a seventh of the links, and 9,000 small ones. */
async function addLinks({ pool }: BenchStack): Promise<void> {
  // The indexes are made after the rows: minutes less.
  const { rows: indexes } = await pool.query<{ name: string; definition: string }>(
    "SELECT indexname AS name, indexdef AS definition FROM pg_indexes WHERE indexname LIKE 'links\\_by\\_%'",
  );
  for (const { name } of indexes) await pool.query(`DROP INDEX ${name}`);
  await pool.query(
    `INSERT INTO links (id, domain_id, code, long_url, url_hash, title, created_at)
     SELECT $1::bigint + n, (SELECT domain_id FROM links WHERE id = $1::bigint), substr(md5(n::text), 1, 7) || to_hex(n),
       format('https://%s.site%s.example/%s/%s', (ARRAY['shop', 'news', 'blog', 'docs', 'www'])[1 + n % 5],
         n * 7919 % 5000, (ARRAY['products', 'articles', 'campaign', 'landing', 'offers', 'archive'])[1 + n % 6], md5((n * 31)::text)),
       sha256(n::text::bytea),
       CASE WHEN n % 2 = 0 THEN format('%s offer-%s', (ARRAY['Spring', 'Summer', 'Autumn'])[1 + n % 3], n) END,
       '2025-01-01'::timestamptz + n * interval '30 s'
     FROM generate_series($2::bigint, $3::bigint - 1) AS n`,
    [FIRST_LINK_ID.toString(), LINKS, LISTED_LINKS],
  );
  for (const { definition } of indexes) await pool.query(definition);
  await pool.query(
    "INSERT INTO tags (name) SELECT 'tag-' || n FROM generate_series(0, 9999) AS n ON CONFLICT DO NOTHING",
  );
  // Minutes less; the sums of tags are made with the totals (forgetVisits).
  await pool.query('ALTER TABLE link_tags DISABLE TRIGGER links_tagged');
  await pool.query(
    `INSERT INTO link_tags (link_id, tag_id)
     SELECT links.id, tags.id FROM links
     JOIN tags ON tags.name = 'tag-' || floor(1000 * power((hashint8(links.id) & 1048575) / 1048576.0, 3.5))::integer
     WHERE links.id >= $1`,
    [FIRST_LINK_ID.toString()],
  );
  await pool.query(
    `INSERT INTO link_tags (link_id, tag_id, position)
     SELECT links.id, tags.id, 2 FROM links JOIN tags ON tags.name = 'tag-' || (1000 + links.id % 9000)
     WHERE links.id >= $1::bigint AND links.id < $1::bigint + 100000`,
    [FIRST_LINK_ID.toString()],
  );
  await pool.query('ALTER TABLE link_tags ENABLE TRIGGER links_tagged');
}

/** As many visits spread evenly as drawn Zipf-like. */
async function visitLinks(bench: BenchStack): Promise<void> {
  const random = seededRandom(21);
  const popular = zipfPicker(random, LISTED_LINKS);
  let drawn = 0;
  const nextLink = () => ((drawn += 1) % 2 === 0 ? popular() : Math.floor(random() * LISTED_LINKS));
  await produceVisits(bench.stack.file.kafkaBrokers, VISITS, { nextLink, seed: 21 });
  bench.say(`  ${VISITS} visits are in the topic`);
  await runCli(bench.stack.file, 'verify', '--wait', '--wait-seconds', '240');
  await bench.pool.query('VACUUM ANALYZE links, link_tags, link_totals, tags, link_counts');
}

async function assertPageIsRight(bench: BenchStack): Promise<void> {
  let page: ShortUrl[] = [];
  await timeRequests(bench, 1, `/rest/v3/short-urls?itemsPerPage=${ITEMS}&orderBy=visits-DESC`, (body) => {
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
