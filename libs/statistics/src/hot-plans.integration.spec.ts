import { readFileSync, writeFileSync } from 'node:fs';

import { EVERYBODY, type VisitFilter, type VisitsOf } from '@hopcount/archive';
import { Database, loadSql, type Transaction } from '@hopcount/postgres';
import { Reach } from '@hopcount/runtime';
import { accessPaths, testDatabase, type TestDatabase } from '@hopcount/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { type LiveScope, LiveVisits } from './scopes/live-visits.js';
import { ScopeCounts } from './scopes/scope-counts.js';
import { countBuckets, readFew, readPoints, startOfNewest } from './scopes/scope-traffic.js';

/** With it the plans are written anew; look at what changed. */
const WRITE = process.env['WRITE_PLANS'] === 'true';
const LINK = '7';
const [FROM, TO] = ['2026-10-05T00:07:00Z', '2026-10-08T00:07:00Z'];
const [HOUR, NEXT_HOUR] = ['2026-10-06T10:00:00Z', '2026-10-06T11:00:00Z'];
/** Ends within a quarter of an hour. */
const CUT = [HOUR, '2026-10-06T10:52:00Z'] as const;
const ANY = '00000000-0000-0000-0000-000000000000';
const RANGES = [[FROM], ['2026-10-05T00:15:00Z']];

/** What is asked for every page and answer, with such parameters as it is asked with; the plans are in `x.plan` beside `x.sql`. */
const HOT: [statement: string, asked: Record<string, unknown[]>][] = [
  ['read/sql/count-traffic', { 'of a link': [LINK, HOUR, NEXT_HOUR, FROM, TO, [FROM], []] }],
  ['read/sql/count-edges', { 'of a link': [LINK, ...RANGES, [FROM]] }],
  ['read/sql/count-uniques', { 'of a link': [LINK, [HOUR], ...RANGES] }],
  ['read/sql/count-point-uniques', { 'of a link': [LINK, [HOUR], [0], ...RANGES, [FROM]] }],
  ['read/sql/count-dimensions', { 'of a link': [LINK, [HOUR], ...RANGES] }],
  ['read/sql/valid-folds', { 'of a link': [LINK, HOUR, NEXT_HOUR] }],
  ['read/sql/next-buckets', { 'of a link': [LINK, FROM, TO, 100], 'of all': [null, FROM, TO, 100] }],
  [
    'read/sql/next-visits',
    { 'of a link': [LINK, FROM, TO, [], ANY, 100, null], 'of all': [null, FROM, TO, [], ANY, 100, null] },
  ],
  ['read/sql/list-visits', { 'of a link': [LINK, FROM, TO, [], 20, 0], 'of all': [null, FROM, TO, [], 20, 0] }],
  ['read/sql/list-visits-of-links', { 'of some': [['7', '8'], [FROM, FROM], [TO, TO], [], 20, 0] }],
  ['read/sql/count-visits-of-links', { 'of some': [['7', '8'], [FROM, FROM], [TO, TO], []] }],
  [
    'read/sql/walk-buckets',
    {
      'of a scope': ['domain', '1', null, FROM, TO, [], [], [], 0, 20],
      'of some links': [null, null, ['7', '8'], FROM, TO, [], [], [], 0, 20],
    },
  ],
  ['feed/sql/read-feed', { 'of a reader': ['4990:4990:', null, '0', '0', 2] }],
  ['feed/sql/read-visits', { 'of a part': [[FROM], [ANY]] }],
];

/** Connections keep these prepared: from the sixth time on with one plan for any values, which must be as good. */
const PREPARED = [
  'read/sql/count-edges',
  'read/sql/count-uniques',
  'read/sql/count-point-uniques',
  'read/sql/count-dimensions',
  'read/sql/valid-folds',
];

/** What is put together for each question, as the reader does it, of what only the ledger has. */
async function composed(
  of: VisitsOf,
  ask: (counts: ScopeCounts) => Promise<unknown>,
  [from, to]: readonly [string, string] = [FROM, TO],
): Promise<string> {
  const statements: string[] = [];
  const tx = { query: (statement: string) => Promise.resolve((statements.push(statement), [])) };
  const fromLedger = [{ from: Date.parse(from), to: Date.parse(to) }];
  await ask(new ScopeCounts(tx as unknown as Transaction, of, { fromLedger, unknown: [], files: undefined }));
  return statements.join(';');
}

/** With what it is asked with. */
async function asked(ask: (tx: Transaction) => Promise<unknown>): Promise<{ statement: string; values: unknown[] }> {
  let [statement, values] = ['', new Array<unknown>()];
  const query = (text: string, given: unknown[] = []) => {
    [statement, values] = [text, given];
    return Promise.resolve([]);
  };
  await ask({ query } as unknown as Transaction);
  return { statement, values };
}

/** One statement for all who follow. */
async function live(scopes: readonly LiveScope[]): Promise<string> {
  const statements: string[] = [];
  const tx = { query: (statement: string) => Promise.resolve((statements.push(statement), [])) };
  const database = { transaction: (work: (given: typeof tx) => Promise<unknown>) => work(tx) };
  const settings = { nowMs: Date.parse(TO), checkpointsOf: { group: 'g', topic: 't' } };
  await new LiveVisits(database as unknown as Database).read(scopes, settings);
  return statements.find((statement) => statement.includes('AS nth')) ?? '';
}

/** As its question is resolved: buckets of links, not of everybody. */
const ONE_LINK: VisitsOf = { traffic: undefined, links: { ids: [LINK] }, groupId: undefined };

describe('plans of what is read all the time', () => {
  let given: TestDatabase;

  beforeAll(async () => {
    given = await testDatabase();
    await given.query(`SELECT create_visit_partitions('2026-09-01Z', '2026-10-31Z')`);
    // An empty partition would be read from end to end, whatever indexes it has.
    for (const { name } of await given.query<{ name: string }>(
      `SELECT inhrelid::regclass::text AS name FROM pg_inherits
       WHERE inhparent = 'visits'::regclass AND inhrelid::regclass::text NOT IN ('visits_2026_09', 'visits_2026_10')`,
    )) {
      await given.query(`DROP TABLE ${name}`);
    }
    await given.query(`INSERT INTO visits (occurred_at, event_id, link_id, visitor, ip, class, enrichment_version, country, region, city, os,
        browser, device, network, referrer_host, language, source, target_host)
      SELECT '2026-09-01Z'::timestamptz + n * interval '2 minutes', gen_random_uuid(), 1 + n % 200, n % 999, n % 777, n % 5, 1, 'DE', '', '',
        '', '', '', '', '', '', 'test', ''
      FROM generate_series(0, 43000) AS n`);
    // In the order of time, as commits do: else no range of pages is one of time.
    await given.query(`INSERT INTO link_traffic (link_id, bucket, class, visits, checksum)
      SELECT link_id, date_bin('15 minutes', occurred_at, '2000-01-01Z'), class, count(*), 0 FROM visits GROUP BY 1, 2, 3 ORDER BY 2`);
    await given.query(`INSERT INTO scope_traffic (scope, scope_id, bucket, class, visits, checksum)
      SELECT scope, id, bucket, class, sum(visits), 0 FROM link_traffic, (VALUES ('all', ''), ('domain', '1'), ('domain', '2')) AS of (scope, id)
      GROUP BY 1, 2, 3, 4`);
    await given.query(`INSERT INTO link_folds (link_id, hour, visits, checksum, visitors, ips, enrichment_version)
      SELECT link_id, date_trunc('hour', occurred_at), count(*), 0, array_agg(visitor), array_agg(ip), 1 FROM visits GROUP BY 1, 2`);
    await given.query(`INSERT INTO link_fold_deltas (link_id, hour, visits, checksum, visitors, ips, enrichment_version, dimensions,
        dimension_values, human, bot, preview, prefetch, opted_out)
      SELECT link_id, hour, visits, 0, visitors, ips, 1, '{}', '{}', '{}', '{}', '{}', '{}', '{}' FROM link_folds`);
    await given.query(`INSERT INTO link_dimensions (link_id, hour, dimension, value, human, bot, preview, prefetch, opted_out)
      SELECT link_id, hour, 'country', 'DE', 1, 0, 0, 0, 0 FROM link_folds`);
    await given.query(`INSERT INTO visit_feed (xid, event_ids, link_ids)
      SELECT n::text::xid8, array[gen_random_uuid()], '{7}' FROM generate_series(1, 5000) AS n`);
    await given.query(
      'ANALYZE visits, link_traffic, scope_traffic, link_folds, link_fold_deltas, link_dimensions, visit_feed',
    );
  });
  afterAll(() => given.drop());

  it.each(HOT)('%s', async (name, asked) => {
    const statement = loadSql(import.meta.url, `${name}.sql`);
    await expectPlans(
      name,
      Object.entries(asked).map(([of, values]) => ({ of, statement, values })),
    );
  });

  it.each(PREPARED)('%s for any values', async (name) => {
    const database = await Database.connect({ url: given.url, applicationName: 'plans', poolSize: 1 });
    const [[of = '', values = []] = []] = Object.entries(HOT.find(([known]) => known === name)?.[1] ?? {});
    const paths = await database.transaction(async (tx) => {
      await tx.query('SET LOCAL plan_cache_mode = force_generic_plan');
      await tx.query(`PREPARE asked AS ${loadSql(import.meta.url, `${name}.sql`)}`);
      const literals = values.map((value) => (Array.isArray(value) ? `'{${value.join()}}'` : `'${String(value)}'`));
      return accessPaths(tx, `EXECUTE asked (${literals.join()})`, []);
    });
    expect(`${of}: ${paths.join(', ')}\n`).toBe(readFileSync(new URL(`${name}.plan`, import.meta.url), 'utf8'));
    await database.close();
  });

  it('scopes/most-visited-links', async () => {
    const page = { order: 'visits', isAscending: false, offset: 0, limit: 20 } as const;
    const german = { dimension: 'country', values: ['DE'], prefixes: [], isExcluded: false } as const;
    const links = (of: VisitsOf, filters: VisitFilter[] = [], cut: readonly [string, string] = CUT) =>
      composed(of, (counts) => counts.page({ by: 'value', of: 'link' }, filters, page), cut);
    const some = { ...EVERYBODY, links: { ids: ['7', '8'] } };
    await expectPlans('scopes/most-visited-links', [
      { of: 'of all', statement: await links(EVERYBODY), values: [] },
      { of: 'of some links', statement: await links(some), values: [] },
      { of: 'of all, with a filter', statement: await links(EVERYBODY, [german], [FROM, TO]), values: [] },
      { of: 'of some links, with a filter', statement: await links(some, [german], [FROM, TO]), values: [] },
    ]);
  });

  it('scopes/open-day', async () => {
    const page = { order: 'visits', isAscending: false, offset: 0, limit: 20 } as const;
    const german = { dimension: 'country', values: ['DE'], prefixes: [], isExcluded: false } as const;
    const link = { ...EVERYBODY, links: { ids: ['7'] } };
    const starts = [Date.parse(FROM)];
    const whole = { reach: Reach.everything, filters: [] };
    const questions = [
      ['totals with a filter, of all', await composed(EVERYBODY, (of) => of.counts({ by: 'class' }, [german]))],
      ['points, of a link', await composed(link, (of) => of.counts({ by: 'point', starts }, [german]))],
      ['visitors, of all', await composed(EVERYBODY, (of) => of.uniques({ by: 'nothing' }, [], true))],
      ['visitors, of a link', await composed(link, (of) => of.uniques({ by: 'nothing' }, [], true))],
      ['countries, of all', await composed(EVERYBODY, (of) => of.page({ by: 'value', of: 'country' }, [], page))],
      ['live, of all', await live([{ ...whole, scope: { of: 'all' } }])],
      ['live, of a link', await live([{ ...whole, scope: { of: 'link', linkId: '7' } }])],
      ['live, of a domain', await live([{ ...whole, scope: { of: 'domain', domainId: 1 } }])],
    ] as const;
    await expectPlans(
      'scopes/open-day',
      questions.map(([of, statement]) => ({ of, statement, values: [] })),
    );
  });

  it('scopes/visits-behind-a-number', async () => {
    const page = { before: '019a0000-0000-7000-8000-000000000000', limit: 20 };
    const columns = { inFiles: '', inLedger: 'event_id' };
    const list = (of: VisitsOf) => composed(of, (counts) => counts.list(columns, [], page));
    const range = { from: Date.parse(FROM), to: Date.parse(TO) };
    const newest = (of: VisitsOf) => asked((tx) => startOfNewest(tx, of, range, 1_000));
    await expectPlans('scopes/visits-behind-a-number', [
      { of: 'page, of all', statement: await list(EVERYBODY), values: [] },
      { of: 'page, of a link', statement: await list(ONE_LINK), values: [] },
      { of: 'how far back, of all', ...(await newest(EVERYBODY)) },
      { of: 'how far back, of a link', ...(await newest(ONE_LINK)) },
    ]);
  });

  it('scopes/sums-of-buckets', async () => {
    const range = { from: Date.parse(FROM), to: Date.parse(TO) };
    const points = { ...range, starts: [range.from], classes: [0], except: [] };
    await expectPlans('scopes/sums-of-buckets', [
      { of: 'points, of all', ...(await asked((tx) => readPoints(tx, EVERYBODY, points))) },
      { of: 'points, of a link', ...(await asked((tx) => readPoints(tx, ONE_LINK, points))) },
      { of: 'what a look costs, of all', ...(await asked((tx) => countBuckets(tx, EVERYBODY, [range]))) },
      { of: 'what a look costs, of a link', ...(await asked((tx) => countBuckets(tx, ONE_LINK, [range]))) },
      { of: 'few visits or many, of all', ...(await asked((tx) => readFew(tx, EVERYBODY, range))) },
      { of: 'few visits or many, of a link', ...(await asked((tx) => readFew(tx, ONE_LINK, range))) },
    ]);
  });

  async function expectPlans(name: string, asked: readonly { of: string; statement: string; values: unknown[] }[]) {
    const kept = new URL(`${name}.plan`, import.meta.url);
    let plans = '';
    for (const { of, statement, values } of asked) {
      plans += `${of}: ${(await accessPaths(given, statement, values)).join(', ')}\n`;
    }
    if (WRITE) writeFileSync(kept, plans);
    expect(plans).toBe(readFileSync(kept, 'utf8'));
  }
});
