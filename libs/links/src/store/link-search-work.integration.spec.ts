import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Database, type Transaction } from '@hopcount/postgres';
import { Reach } from '@hopcount/runtime';
import { testDatabase, type TestDatabase } from '@hopcount/testing';

import { LinkList, LINK_ORDER_FIELDS, type LinkListQuery } from './link-list.js';

const LINKS = 20_000;
/** Every list's order, in both directions, begins with so many links at least that the search does not find. */
const BEFORE = 600;
const SAMPLE = 2_000;

let given: TestDatabase;
let database: Database;

beforeAll(async () => {
  given = await testDatabase();
  database = await Database.connect({ url: given.url, applicationName: 'test' });
  await given.query("INSERT INTO domains (authority, is_default) VALUES ('home.example', true)");
  await given.query(
    `INSERT INTO links (id, domain_id, code, long_url, title, created_at)
     SELECT n, (SELECT id FROM domains), 'c' || lpad(n::text, 6, '0'),
       format('https://site.test/%s/%s', lpad(n::text, 6, '0'), CASE WHEN n > $2 AND n <= $1 - $2 THEN 'found' ELSE 'other' END),
       lpad(n::text, 6, '0') || CASE WHEN hashint4(n) % 2 = 0 THEN 'heads' ELSE 'tails' END, '2026-01-01'::timestamptz + n * interval '1 s'
     FROM generate_series(1, $1::integer) AS n`,
    [LINKS, BEFORE],
  );
  await given.query("INSERT INTO tags (name) VALUES ('half')");
  await given.query(
    'INSERT INTO link_tags (link_id, tag_id) SELECT links.id, tags.id FROM links, tags WHERE links.id % 2 = 0',
  );
  // Nearly all links have the same number of visits.
  await given.query('UPDATE link_totals SET visits = link_id, non_bot_visits = link_id WHERE link_id > $1', [
    LINKS - 50,
  ]);
  await given.query('VACUUM ANALYZE links, link_tags, link_totals');
});
afterAll(async () => {
  await database.close();
  await given.drop();
});

const rowsRead = async (tx: Transaction) => {
  const statement = "SELECT seq_tup_read + idx_tup_fetch AS rows FROM pg_stat_xact_user_tables WHERE relname = 'links'";
  return Number((await tx.query<{ rows: string }>(statement))[0]?.rows);
};

/** The answer, and how many rows of links it took. */
async function listed(query: LinkListQuery) {
  let rows = Infinity;
  const transaction: Database['transaction'] = (work, options) =>
    database.transaction(async (tx) => {
      const before = await rowsRead(tx);
      const result = await work(tx);
      rows = (await rowsRead(tx)) - before;
      return result;
    }, options);
  const answer = await new LinkList({ transaction } as Database, 100).list(query);
  return { ...answer, rows };
}

describe('a search that finds most links', () => {
  it.each(LINK_ORDER_FIELDS.flatMap((field) => [[field, 'ASC'] as const, [field, 'DESC'] as const]))(
    'reads few links for a page by %s-%s whose matches begin below the first of the order',
    async (field, direction) => {
      for (const tags of [[], ['half']]) {
        const answer = await listed({
          ...{
            reach: Reach.everything,
            domain: null,
            searchTerm: 'found',
            tags,
            tagsMode: 'any',
            from: null,
            to: null,
          },
          ...{ orderBy: { field, direction }, offset: 40, limit: 20 },
        });
        expect(answer).toMatchObject({ totalItems: 61, isLowerBound: true });
        expect(answer.links).toHaveLength(20);
        expect(answer.rows).toBeLessThan(SAMPLE + 2 * BEFORE);
      }
    },
  );

  it.each(['ASC', 'DESC'] as const)(
    'shows whole and right pages by dateCreated-%s however wrong the sample is',
    async (direction) => {
      const list = new LinkList(database, 1_000);
      const found = await given.query<{ code: string }>(
        `SELECT code FROM links WHERE title LIKE '%heads' ORDER BY created_at ${direction}`,
      );
      // Where the first 1,000 links may not hold the page, and where walking may take longer than finding all.
      for (const [from, to, step] of [
        [100, 1_000, 30],
        [4_000, 6_000, 100],
      ] as const) {
        for (let offset = from; offset < to; offset += step) {
          const answer = await list.list({
            ...{
              reach: Reach.everything,
              domain: null,
              searchTerm: 'HEADS',
              tags: [],
              tagsMode: 'any',
              from: null,
              to: null,
            },
            ...{ orderBy: { field: 'dateCreated', direction }, offset, limit: 20 },
          });
          const page = found.slice(offset, offset + 20).map(({ code }) => code);
          expect({ offset, shown: answer.links.map(({ code }) => code) }).toEqual({ offset, shown: page });
          if (answer.isLowerBound) expect(answer.totalItems).toBeGreaterThan(offset + 20);
          else expect(answer.totalItems).toBe(found.length);
        }
      }
    },
  );
});
