import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Database } from '@hopcount/postgres';
import { Reach } from '@hopcount/runtime';
import { testDatabase, type TestDatabase } from '@hopcount/testing';

import { Snowflakes } from '../ids/snowflake.js';
import { hashUrls } from './hash-urls.js';
import { expireIdempotencyKeys, type OnceOnly } from './idempotency.js';
import { linkOf, LinkStore } from './link-store.js';

let given: TestDatabase;
let database: Database;
let store: LinkStore;
let isKilled = false;

beforeAll(async () => {
  given = await testDatabase();
  database = await Database.connect({ url: given.url, applicationName: 'test' });
  const announce = () => (isKilled ? Promise.reject(new Error('killed')) : Promise.resolve());
  store = new LinkStore(
    database,
    new Snowflakes({ current: () => 1 }),
    { announce },
    {
      ...{ defaultDomain: 's.test', codeStrategy: 'random', secret: 'x'.repeat(40), allowPrivateTargets: false },
    },
  );
  await store.ensureDefaultDomain();
  await given.query("INSERT INTO api_keys (name, key_hash) VALUES ('a', 'a'), ('b', 'b')");
});
afterAll(async () => {
  await database.close();
  await given.drop();
});

const newLink = (longUrl: string) => {
  return { longUrl, customSlug: null, domain: null, title: null, tags: [], groupId: null };
};
const once = (key: string): OnceOnly => ({ by: { kind: 'key', id: 1 }, key, request: 'same' });
const create = (asked: OnceOnly, urls = ['https://example.com/']) =>
  store.createAll(
    Reach.everything,
    urls.map(newLink),
    (created) => Promise.resolve(created.map((one) => linkOf(one).link.code)),
    asked,
  );
/** Those after the first come while its transaction is under way, and so share the next. */
const createEach = (asked: readonly { key: string; customSlug?: string | undefined }[]) =>
  asked.map(({ key, customSlug = null }) =>
    store.createOnce(
      Reach.everything,
      { ...newLink('https://example.com/'), customSlug },
      ([created]) => Promise.resolve(linkOf(created).link.code),
      once(key),
    ),
  );
const keys = async () =>
  (await given.query<{ key: string }>('SELECT key FROM idempotency_keys ORDER BY key')).map(({ key }) => key);

describe('requests with an Idempotency-Key', () => {
  it('are answered as the first one, whose process was killed after its COMMIT', async () => {
    isKilled = true;
    await expect(create(once('killed'))).rejects.toThrow('killed');
    isKilled = false;
    const [row, ...others] = await given.query<{ code: string }>('SELECT code FROM links');
    expect(others).toEqual([]);
    expect(await create(once('killed'))).toEqual([row?.code]);
    expect(await given.query('SELECT FROM links')).toHaveLength(1);
    expect(await given.query('SELECT FROM link_outbox')).toHaveLength(1);
  });

  it('share one transaction also with those that are refused, which leave no key', async () => {
    await given.query('DELETE FROM idempotency_keys');
    const slugs = { taken: 'mine', reserved: 'rest' };
    const asked = [{ key: 'a', customSlug: 'mine' }, ...['b', 'taken', 'c', 'reserved', 'd'].map((key) => ({ key }))];
    const [, b, taken, c, reserved, d] = await Promise.allSettled(
      createEach(asked.map((one) => ({ customSlug: slugs[one.key as keyof typeof slugs], ...one }))),
    );
    expect(taken).toMatchObject({ status: 'rejected', reason: { code: 'non-unique-slug' } });
    expect(reserved).toMatchObject({ status: 'rejected', reason: { code: 'reserved-slug' } });
    const codes = [b, c, d].map((one) => one?.status === 'fulfilled' && one.value);
    const made = await given.query('SELECT code, xmin::text FROM links WHERE code = ANY ($1)', [codes]);
    expect(made).toHaveLength(3);
    expect(new Set(made.map(({ xmin }) => xmin)).size).toBe(1);
    expect(await keys()).toEqual(['a', 'b', 'c', 'd']);
    // The key is as good as new, also for another request.
    await expect(create({ ...once('taken'), request: 'other' })).resolves.toHaveLength(1);
  });

  it('do not fail with a neighbour whose key another process is busy with', async () => {
    let held: Promise<unknown> | undefined;
    await database.transaction(async (tx) => {
      await tx.query("INSERT INTO idempotency_keys (api_key_id, key, request) VALUES (1, 'held', '')");
      const [first, near, waiting] = createEach(['first', 'near', 'held'].map((key) => ({ key })));
      held = expect(waiting).rejects.toMatchObject({ code: 'idempotency-key-reused' });
      expect(await near).not.toBe(await first);
    });
    await held;
  });

  it('are forgotten after 24 hours, or when there are too many: the oldest, as many as they created links', async () => {
    await given.query('DELETE FROM idempotency_keys');
    const ages = { old: 25, day: 23, batch: 3, late: 2, new: 1 };
    for (const [key, hours] of Object.entries(ages)) {
      await create(once(key), key === 'batch' ? ['https://a.example', 'https://b.example'] : undefined);
      await given.query('UPDATE idempotency_keys SET created_at = now() - make_interval(hours => $2) WHERE key = $1', [
        key,
        hours,
      ]);
    }
    expect(await expireIdempotencyKeys(database)).toBe(1);
    expect(await keys()).toEqual(['batch', 'day', 'late', 'new']);
    expect(await expireIdempotencyKeys(database, { resultsKept: 4 })).toBe(1);
    expect(await keys()).toEqual(['batch', 'late', 'new']);
    expect(await expireIdempotencyKeys(database, { resultsKept: 3 })).toBe(1);
    expect(await keys()).toEqual(['late', 'new']);
    expect(await expireIdempotencyKeys(database, { resultsKept: 3 })).toBe(0);
  });
});

describe('hashes of long URLs', () => {
  it('are given to all links that have none, and to no link whose URL was changed meanwhile', async () => {
    await given.query('DELETE FROM link_outbox; DELETE FROM links');
    await given.query(
      `INSERT INTO links (id, domain_id, code, long_url)
       SELECT n, (SELECT id FROM domains), 'h' || n, 'HTTPS://H.example:443/' || n FROM generate_series(1, 2500) AS n`,
    );
    await given.query('UPDATE links SET deleted_at = now() WHERE id = 7');
    const changing: Pick<Database, 'query' | 'execute'> = {
      query: async (text, values) => {
        const rows = await database.query(text, values);
        await given.query("UPDATE links SET long_url = 'https://changed.example/' WHERE id = 1");
        return rows as never;
      },
      execute: (text, values) => database.execute(text, values),
    };
    expect(await hashUrls(changing as Database)).toBe(2_498);
    expect(await hashUrls(database)).toBe(1);
    const find = (longUrl: string) =>
      store.createAll(Reach.everything, [{ ...newLink(longUrl), findIfExists: true }], ([created]) =>
        Promise.resolve(linkOf(created)),
      );
    expect(await find('https://h.example/2500')).toMatchObject({ isNew: false, link: { id: '2500' } });
    expect(await find('https://h.example/1')).toMatchObject({ isNew: true });
    expect(await find('https://Changed.example')).toMatchObject({ isNew: false, link: { id: '1' } });
    expect(await find('https://h.example/7')).toMatchObject({ isNew: true });
  });
});
