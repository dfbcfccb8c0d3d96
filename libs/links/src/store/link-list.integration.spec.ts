import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Database } from '@hopcount/postgres';
import { Reach } from '@hopcount/runtime';
import { testDatabase, type TestDatabase } from '@hopcount/testing';

import { Snowflakes } from '../ids/snowflake.js';
import { LinkList, type LinkListQuery, LINK_ORDER_FIELDS } from './link-list.js';
import { LinkStore } from './link-store.js';

let given: TestDatabase;
let database: Database;
let list: LinkList;

const LINKS = [
  { customSlug: 'alpha', longUrl: 'https://c.example/100%25', title: 'Third', tags: ['red', 'blue'], domain: null },
  { customSlug: 'Beta', longUrl: 'https://a.example/', title: null, tags: ['red'], domain: null },
  { customSlug: 'gamma', longUrl: 'https://b.example/', title: 'First', tags: ['blue'], domain: 'other.example' },
  { customSlug: 'delta', longUrl: 'https://d.example/', title: 'Second', tags: [], domain: null },
  { customSlug: 'omega', longUrl: 'https://e.example/', title: null, tags: [], domain: null },
];

beforeAll(async () => {
  given = await testDatabase();
  database = await Database.connect({ url: given.url, applicationName: 'test' });
  list = new LinkList(database);
  const outbox = { announce: () => Promise.resolve() };
  const store = new LinkStore(database, new Snowflakes({ current: () => 1 }), outbox, {
    ...{ defaultDomain: 'sho.rt', codeStrategy: 'random', secret: 'x'.repeat(40), allowPrivateTargets: false },
  });
  await store.ensureDefaultDomain();
  for (const [index, link] of LINKS.entries()) {
    const { id } = await store.create(Reach.everything, { ...link, groupId: null });
    await given.query(
      "UPDATE links SET created_at = '2026-01-01T00:00:00Z'::timestamptz + $2 * interval '1 day' WHERE id = $1",
      [id, index],
    );
  }
  // alpha and omega have no visits; Beta and delta are equal in visits.
  await given.query(`UPDATE link_totals
    SET visits = CASE code WHEN 'gamma' THEN 50 ELSE 7 END, non_bot_visits = CASE code WHEN 'Beta' THEN 6 ELSE 0 END
    FROM links WHERE id = link_id AND code NOT IN ('alpha', 'omega')`);
  // Visits of a link that is gone from the database, as after a restore.
  await given.query('INSERT INTO link_totals VALUES (1, 20, 20)');
});
afterAll(async () => {
  await database.close();
  await given.drop();
});

async function codes(query: Partial<LinkListQuery> = {}): Promise<string[]> {
  const all: LinkListQuery = {
    ...{ reach: Reach.everything, domain: null, searchTerm: null, tags: [], tagsMode: 'any', from: null, to: null },
    ...{ orderBy: { field: 'dateCreated', direction: 'DESC' }, offset: 0, limit: 10 },
    ...query,
  };
  return (await list.list(all)).links.map((link) => link.code);
}

describe('the list of links', () => {
  it.each([
    ['dateCreated', 'DESC', ['omega', 'delta', 'gamma', 'Beta', 'alpha']],
    ['dateCreated', 'ASC', ['alpha', 'Beta', 'gamma', 'delta', 'omega']],
    ['shortCode', 'ASC', ['Beta', 'alpha', 'delta', 'gamma', 'omega']],
    ['longUrl', 'ASC', ['Beta', 'gamma', 'alpha', 'delta', 'omega']],
    ['title', 'DESC', ['alpha', 'delta', 'gamma', 'omega', 'Beta']],
    ['visits', 'DESC', ['gamma', 'delta', 'Beta', 'omega', 'alpha']],
    ['visits', 'ASC', ['alpha', 'omega', 'Beta', 'delta', 'gamma']],
    ['nonBotVisits', 'DESC', ['Beta', 'omega', 'delta', 'gamma', 'alpha']],
  ] as const)('is ordered by %s-%s', async (field, direction, expected) => {
    expect(await codes({ orderBy: { field, direction } })).toEqual(expected);
  });

  it('shows every link once, whatever the order and the size of the pages', async () => {
    for (const field of LINK_ORDER_FIELDS) {
      for (const direction of ['ASC', 'DESC'] as const) {
        const whole = await codes({ orderBy: { field, direction } });
        for (const limit of [1, 2, 3, 4]) {
          const paged: string[] = [];
          for (let offset = 0; offset < 6; offset += limit) {
            paged.push(...(await codes({ orderBy: { field, direction }, offset, limit })));
          }
          expect(paged).toEqual(whole);
        }
      }
    }
  });

  it('counts what the filters leave', async () => {
    const query: LinkListQuery = {
      ...{
        reach: Reach.everything,
        domain: null,
        searchTerm: null,
        tags: ['red'],
        tagsMode: 'any',
        from: null,
        to: null,
      },
      ...{ orderBy: { field: 'visits', direction: 'DESC' }, offset: 0, limit: 1 },
    };
    expect(await list.list(query)).toMatchObject({ totalItems: 2, links: [{ code: 'Beta' }] });
  });

  it('filters by tags, domain, text and creation', async () => {
    expect(await codes({ tags: ['red', 'blue'] })).toEqual(['gamma', 'Beta', 'alpha']);
    expect(await codes({ tags: ['red', 'blue'], tagsMode: 'all' })).toEqual(['alpha']);
    expect(await codes({ domain: 'DEFAULT' })).toEqual(['omega', 'delta', 'Beta', 'alpha']);
    expect(await codes({ domain: 'Other.example' })).toEqual(['gamma']);
    expect(await codes({ domain: 'nobody.example' })).toEqual([]);
    expect(await codes({ domain: '???' })).toEqual([]);
    expect(await codes({ searchTerm: 'BETA' })).toEqual(['Beta']);
    expect(await codes({ searchTerm: '%' })).toEqual(['alpha']);
    expect(await codes({ searchTerm: '_' })).toEqual([]);
    expect(await codes({ searchTerm: 'other.ex' })).toEqual(['gamma']);
    expect(await codes({ searchTerm: 'blu', orderBy: { field: 'visits', direction: 'DESC' } })).toEqual([
      'gamma',
      'alpha',
    ]);
    expect(await codes({ from: new Date('2026-01-02T00:00:00Z'), to: new Date('2026-01-04T00:00:00Z') })).toEqual([
      'gamma',
      'Beta',
    ]);
    expect(await codes({ searchTerm: "'; DROP TABLE links; --" })).toEqual([]);
  });

  it('finds a term wherever it is, once per link', async () => {
    expect(await codes({ searchTerm: 'e.ex' })).toEqual(['omega']);
    expect(await codes({ searchTerm: 'ER.EX' })).toEqual(['gamma']);
    expect(await codes({ searchTerm: 're' })).toEqual(['Beta', 'alpha']);
    expect(await codes({ searchTerm: 'red', tags: ['blue'] })).toEqual(['alpha']);
    expect(await codes({ searchTerm: 'a', domain: 'DEFAULT', limit: 2, offset: 2 })).toEqual(['Beta', 'alpha']);
  });

  it('counts exactly while links are created, deleted, moved to another domain and removed', async () => {
    const totals = async () => {
      const all: LinkListQuery = {
        ...{ reach: Reach.everything, domain: null, searchTerm: null, tags: [], tagsMode: 'any', from: null, to: null },
        ...{ orderBy: { field: 'visits', direction: 'ASC' }, offset: 0, limit: 100 },
      };
      const [any, home] = [await list.list(all), await list.list({ ...all, domain: 'DEFAULT' })];
      expect([any.links.length, home.links.length]).toEqual([any.totalItems, home.totalItems]);
      const tagged = await list.list({ ...all, tags: ['blue'] });
      return [any.totalItems, home.totalItems, tagged.totalItems];
    };
    expect(await totals()).toEqual([5, 4, 2]);
    await given.query(`INSERT INTO links (id, domain_id, code, long_url)
      SELECT n, (SELECT id FROM domains WHERE is_default), 'n' || n, 'https://n.example' FROM generate_series(1, 7) AS n`);
    expect(await totals()).toEqual([12, 11, 2]);
    await given.query("UPDATE links SET deleted_at = now() WHERE id < 4 OR code = 'alpha'");
    expect(await totals()).toEqual([8, 7, 1]);
    await given.query('UPDATE links SET domain_id = (SELECT id FROM domains WHERE NOT is_default) WHERE id IN (3, 4)');
    expect(await totals()).toEqual([8, 6, 1]);
    await given.query('DELETE FROM links WHERE id < 8');
    await given.query("UPDATE links SET deleted_at = NULL WHERE code = 'alpha'");
    expect(await totals()).toEqual([5, 4, 2]);
  });

  it('leaves deleted links out', async () => {
    await given.query("UPDATE links SET deleted_at = now() WHERE code = 'delta'");
    expect(await codes({ orderBy: { field: 'visits', direction: 'DESC' } })).toEqual([
      'gamma',
      'Beta',
      'omega',
      'alpha',
    ]);
    await given.query("UPDATE links SET deleted_at = NULL WHERE code = 'delta'");
  });
});
