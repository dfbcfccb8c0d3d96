import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Database } from '@hopcount/postgres';
import { Reach } from '@hopcount/runtime';
import { testDatabase, type TestDatabase } from '@hopcount/testing';

import { LinkList, type LinkListQuery, LINK_ORDER_FIELDS, type LinkOrderField } from './link-list.js';

const LINKS = 120;
const DAY_MS = 86_400_000;
const FIRST_DAY = Date.parse('2026-01-01T00:00:00Z');

interface Kept {
  code: string;
  domain: string;
  createdAt: Date;
  tags: string[];
  text: string;
  keys: Record<LinkOrderField, number | string>;
}

/** Terms that every link, many, few and no links match, by text, domain or tag; "old" only at the far end by date. */
const kept: Kept[] = Array.from({ length: LINKS }, (_, n) => {
  const [code, domain] = [`c${(n * 37) % LINKS}x`, n % 4 === 0 ? 'other.example' : 'home.example'];
  const longUrl = `https://site${n % 7}.test/${n < 30 ? 'old' : 'new'}/${n}`;
  const title = n % 3 === 0 ? `Spring 0${n % 10}` : '';
  const createdAt = new Date(FIRST_DAY + n * DAY_MS);
  const visits = (n * 13) % 17;
  return {
    ...{ code, domain, createdAt, tags: n % 5 === 0 ? ['fifth'] : n % 2 === 0 ? ['even', 'more'] : [] },
    text: `${code}\u001f${longUrl}\u001f${title}`.toLowerCase(),
    keys: { dateCreated: n, shortCode: code, longUrl, title, visits, nonBotVisits: visits % 5 },
  };
});

let given: TestDatabase;
let database: Database;

beforeAll(async () => {
  given = await testDatabase();
  database = await Database.connect({ url: given.url, applicationName: 'test' });
  await given.query(
    "INSERT INTO domains (authority, is_default) VALUES ('home.example', true), ('other.example', false)",
  );
  await given.query("INSERT INTO tags (name) VALUES ('fifth'), ('even'), ('more')");
  for (const [n, link] of kept.entries()) {
    const values = [n, link.code, link.keys.longUrl, link.keys.title, link.createdAt, link.domain];
    await given.query(
      `INSERT INTO links (id, code, long_url, title, created_at, domain_id)
       SELECT $1, $2, $3, nullif($4, ''), $5, id FROM domains WHERE authority = $6`,
      values,
    );
    await given.query('INSERT INTO link_tags SELECT $1, id FROM tags WHERE name = ANY ($2)', [n, link.tags]);
    await given.query('UPDATE link_totals SET visits = $2, non_bot_visits = $3 WHERE link_id = $1', [
      ...[n, link.keys.visits, link.keys.nonBotVisits],
    ]);
  }
  await given.query(`INSERT INTO links (id, code, long_url, deleted_at, domain_id)
    SELECT 1000 + n, 'gone' || n, 'https://site1.test/new', now(), min(domains.id)
    FROM generate_series(1, 50) AS n, domains GROUP BY n`);
});
afterAll(async () => {
  await database.close();
  await given.drop();
});

/** The links that the other filters leave, in order, and those of them that the term is in. */
function expected({ orderBy, ...query }: LinkListQuery) {
  const sign = orderBy.direction === 'ASC' ? 1 : -1;
  const left = kept
    .map((link, id) => ({ ...link, id, key: link.keys[orderBy.field] }))
    .filter((link) => query.domain === null || link.domain === query.domain)
    .filter((link) => query.tags.length === 0 || link.tags.some((tag) => query.tags.includes(tag)))
    .filter((link) => query.from === null || link.createdAt >= query.from)
    .sort((a, b) => sign * (a.key < b.key ? -1 : a.key > b.key ? 1 : a.id - b.id));
  const isIn = (text: string) => text.includes((query.searchTerm ?? '').toLowerCase());
  const isFound = (link: Kept) => isIn(link.text) || isIn(link.domain) || link.tags.some(isIn);
  return { left, isFound, found: left.filter(isFound) };
}

describe('a search', () => {
  const TERMS = ['e', 'ne', '0', 'zz', 'new', 'OLD', 'spring 03', 'other', 'fifth', 'site3.', 'nowhere', 'https://'];
  const FILTERS: Partial<LinkListQuery>[] = [
    ...[{}, { domain: 'other.example' }, { tags: ['even', 'fifth'] }],
    { from: new Date(FIRST_DAY + 90 * DAY_MS) },
  ];
  const none: LinkListQuery = {
    ...{ reach: Reach.everything, domain: null, searchTerm: null, tags: [], tagsMode: 'any', from: null, to: null },
    ...{ orderBy: { field: 'dateCreated', direction: 'DESC' }, offset: 0, limit: 4 },
  };

  it.each([1, 5, 20, LINKS / 2 - 1, LINKS / 2])(
    'that reads %i links shows the right page and says when it may not know the total',
    async (scanned) => {
      const list = new LinkList(database, scanned);
      let bounds = 0;
      for (const [n, searchTerm] of TERMS.entries()) {
        for (const [m, filter] of FILTERS.entries()) {
          const field = LINK_ORDER_FIELDS[(n + m) % LINK_ORDER_FIELDS.length] as LinkOrderField;
          for (const direction of ['ASC', 'DESC'] as const) {
            for (const offset of [0, 4, 44]) {
              const query = { ...none, ...filter, searchTerm, orderBy: { field, direction }, offset };
              const { left, found, isFound } = expected(query);
              const answer = await list.list(query);
              const shown = answer.links.map(({ code }) => code);
              const page = found.slice(offset, offset + query.limit).map(({ code }) => code);
              const isShort = searchTerm.length < 3;
              const isCut = answer.isLowerBound && isShort;
              expect({ query, shown }).toEqual({ query, shown: isCut ? page.slice(0, shown.length) : page });
              if (answer.isLowerBound) {
                bounds += 1;
                const first = left.slice(0, scanned).filter(isFound).length;
                expect(answer.totalItems).toBeGreaterThanOrEqual(isShort ? first : offset + query.limit + 1);
                expect(answer.totalItems).toBeLessThanOrEqual(found.length);
                expect(answer.links).toHaveLength(Math.max(0, Math.min(query.limit, answer.totalItems - offset)));
              } else {
                expect({ query, total: answer.totalItems }).toEqual({ query, total: found.length });
              }
            }
          }
        }
      }
      expect(bounds > 0).toBe(scanned < LINKS / 2);
    },
  );

  it('goes on below the first of the order while that takes less than finding all matches', async () => {
    const list = new LinkList(database, 5);
    const oldestFirst = { ...none, orderBy: { field: 'dateCreated', direction: 'ASC' } } as const;
    expect(await list.list({ ...oldestFirst, searchTerm: 'new' })).toMatchObject({
      ...{ totalItems: 5, isLowerBound: true },
      links: [{ code: 'c30x' }, { code: 'c67x' }, { code: 'c104x' }, { code: 'c21x' }],
    });
    expect(await list.list({ ...none, searchTerm: 'old' })).toMatchObject({ totalItems: 30, isLowerBound: false });
  });

  it('has an exact total when only some links match', async () => {
    const list = new LinkList(database, 20);
    for (const searchTerm of ['old', 'site3.', 'spring 03', 'other', 'nowhere']) {
      expect(await list.list({ ...none, searchTerm })).toMatchObject({ isLowerBound: false });
    }
    expect(await list.list({ ...none, searchTerm: 'new' })).toMatchObject({ isLowerBound: true });
  });
});
