import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Database } from '@hopcount/postgres';
import { Reach } from '@hopcount/runtime';
import { testDatabase, type TestDatabase } from '@hopcount/testing';

import { decodeSnowflakeCode } from '../codes/snowflake-code.js';
import { Snowflakes } from '../ids/snowflake.js';
import { LinkStore, type LinkStoreOptions } from './link-store.js';
import type { NewLink } from './new-link.js';

const SECRET = 'a secret of more than thirty-two characters';
let given: TestDatabase;
let database: Database;
let snowflakes: Snowflakes;
let announced = 0;

beforeAll(async () => {
  given = await testDatabase();
  database = await Database.connect({ url: given.url, applicationName: 'test' });
  snowflakes = new Snowflakes({ current: () => 1 });
  await newStore().ensureDefaultDomain();
});
afterAll(async () => {
  await database.close();
  await given.drop();
});

function newStore(options: Partial<LinkStoreOptions> = {}, of = database): LinkStore {
  const outbox = { announce: () => Promise.resolve(void (announced += 1)) };
  return new LinkStore(of, snowflakes, outbox, {
    defaultDomain: 'localhost:8080',
    codeStrategy: 'random',
    secret: SECRET,
    allowPrivateTargets: false,
    ...options,
  });
}

function newLink(fields: Partial<NewLink> = {}): NewLink {
  const none = { customSlug: null, domain: null, title: null, tags: [], groupId: null };
  return { longUrl: 'https://example.com', ...none, ...fields };
}

describe('the link store', () => {
  it('gives back what was created, tags in their order', async () => {
    const store = newStore();
    const created = await store.create(
      Reach.everything,
      newLink({ title: ' A title ', tags: ['zeta', 'Al pha', 'zeta'], groupId: 'g1' }),
    );
    expect(created).toMatchObject({
      longUrl: 'https://example.com',
      domain: 'localhost:8080',
      isDefaultDomain: true,
      title: 'A title',
      tags: ['zeta', 'al-pha'],
      groupId: 'g1',
    });
    expect(created.code).toMatch(/^\w{7}$/);
    expect(await store.get(Reach.everything, created.code, null)).toEqual(created);
    expect(await store.get(Reach.everything, created.code, 'LOCALHOST:8080')).toEqual(created);
    expect(announced).toBe(1);
    expect(await given.query('SELECT link_id FROM link_outbox')).toEqual([{ link_id: created.id }]);
    expect(await given.query("SELECT name FROM groups WHERE id = 'g1'")).toEqual([{ name: 'g1' }]);
  });

  it('gives back every setting, and the policy that gateways read says all of them; of a plain link it is null', async () => {
    const store = newStore();
    const settings = {
      validSince: new Date('2026-01-01T00:00:00.250Z'),
      validUntil: new Date('2036-01-01T00:00:00Z'),
      maxVisits: 7,
      expiredUrl: 'https://example.com/ended',
      disabled: true,
      forwardQuery: false,
      extraPath: 'append',
      redirectStatus: 307,
      crawlable: true,
    } as const;
    const created = await store.create(Reach.everything, newLink(settings));
    const plain = await store.create(Reach.everything, newLink());
    expect(created).toMatchObject(settings);
    for (const link of [created, plain]) expect(await store.get(Reach.everything, link.code, null)).toEqual(link);
    const policyOf = async ({ id }: { id: string }) => {
      const text = 'SELECT link_policy(links) AS policy FROM links WHERE id = $1';
      return (await given.query<{ policy: string | null }>(text, [id]))[0]?.policy;
    };
    expect(await policyOf(plain)).toBeNull();
    const policy = await policyOf(created);
    expect(policy).not.toContain(' ');
    expect(JSON.parse(policy!)).toEqual({
      validSince: settings.validSince.getTime(),
      validUntil: settings.validUntil.getTime(),
      maxVisits: 7,
      expiredUrl: 'https://example.com/ended',
      disabled: true,
      forwardQuery: false,
      extraPath: 'append',
      status: 307,
    });
    await expect(store.create(Reach.everything, newLink({ expiredUrl: 'http://10.0.0.1/' }))).rejects.toMatchObject({
      code: 'unsafe-target',
    });
  });

  it('keeps one default domain', async () => {
    await newStore({ defaultDomain: 'sho.rt' }).ensureDefaultDomain();
    await newStore().ensureDefaultDomain();
    await newStore().ensureDefaultDomain();
    expect(await given.query('SELECT authority FROM domains WHERE is_default')).toEqual([
      { authority: 'localhost:8080' },
    ]);
  });

  it('gives a slug to one of many who ask at once, on each domain', async () => {
    const store = newStore();
    const asking = Array.from({ length: 8 }, () =>
      store.create(Reach.everything, newLink({ customSlug: 'wanted slug' })),
    );
    const results = await Promise.allSettled(asking);
    expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(1);
    for (const result of results) {
      if (result.status === 'rejected') {
        expect(result.reason).toMatchObject({ code: 'non-unique-slug', details: { customSlug: 'wanted-slug' } });
      }
    }
    const elsewhere = await store.create(
      Reach.everything,
      newLink({ customSlug: 'wanted slug', domain: 'Other.Example' }),
    );
    expect(elsewhere).toMatchObject({ domain: 'other.example', isDefaultDomain: false });
    await expect(
      store.create(Reach.everything, newLink({ customSlug: 'wanted-slug', domain: 'other.example' })),
    ).rejects.toMatchObject({
      code: 'non-unique-slug',
      details: { customSlug: 'wanted-slug', domain: 'other.example' },
    });
    expect((await store.get(Reach.everything, 'wanted-slug', null)).id).not.toBe(elsewhere.id);
  });

  it('creates links of more authors at once than it has connections, knowing nothing yet of what is blocked', async () => {
    const keys = await given.query<{ id: number }>(
      'INSERT INTO api_keys (name, key_hash) SELECT n, n::text::bytea FROM generate_series(1, 6) AS n RETURNING id',
    );
    const few = await Database.connect({ url: given.url, applicationName: 'test', poolSize: 2 });
    try {
      const store = newStore({}, few);
      const none = { authoredOnly: false, domain: null, noOrphanVisits: false };
      const links = await Promise.all(keys.map(({ id }) => store.create(Reach.of({ keyId: id, ...none }), newLink())));
      expect(links.map(({ authorKeyId }) => authorKeyId)).toEqual(keys.map(({ id }) => id));
    } finally {
      await few.close();
    }
  });

  it('creates links with the same new tags and groups at once', async () => {
    const store = newStore();
    const tags = ['t1', 't2', 't3', 't4'];
    const links = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        store.create(
          Reach.everything,
          newLink({ tags: index % 2 === 0 ? tags : tags.toReversed(), groupId: 'shared' }),
        ),
      ),
    );
    const stored = await Promise.all(links.map((link) => store.get(Reach.everything, link.code, null)));
    expect(stored.map((link) => link.tags)).toEqual(links.map((link) => link.tags));
  });

  it('draws again after a collision, longer after several', async () => {
    await newStore().create(Reach.everything, newLink({ customSlug: 'taken' }));
    const lengths: number[] = [];
    const store = newStore({
      makeRandomCode: (length) => {
        lengths.push(length);
        return lengths.length < 5 ? 'taken' : `free-${length}`;
      },
    });
    expect((await store.create(Reach.everything, newLink())).code).toBe('free-9');
    expect(lengths).toEqual([7, 7, 7, 8, 9]);
    const hopeless = newStore({ makeRandomCode: () => 'taken' });
    await expect(hopeless.create(Reach.everything, newLink())).rejects.toMatchObject({ code: 'codes-exhausted' });
  });

  it('makes snowflake codes that decode to the id', async () => {
    const link = await newStore({ codeStrategy: 'snowflake' }).create(Reach.everything, newLink());
    expect(link.code).toMatch(/^[0-9a-zA-Z]{10,11}$/);
    expect(decodeSnowflakeCode(link.code, SECRET)).toBe(BigInt(link.id));
  });

  it('refuses loops into any domain it knows', async () => {
    const store = newStore();
    await store.create(Reach.everything, newLink({ domain: 'brand.example' }));
    await expect(store.create(Reach.everything, newLink({ longUrl: 'https://brand.example/x' }))).rejects.toMatchObject(
      {
        code: 'unsafe-target',
        details: { reason: 'loop' },
      },
    );
  });

  it('finds codes by their exact letters and by any form of them', async () => {
    const store = newStore();
    await store.create(Reach.everything, newLink({ customSlug: 'Cafe\u0301' }));
    expect((await store.get(Reach.everything, 'Caf\u00e9', null)).code).toBe('Caf\u00e9');
    expect((await store.get(Reach.everything, 'Cafe\u0301', null)).code).toBe('Caf\u00e9');
    await expect(store.get(Reach.everything, 'caf\u00e9', null)).rejects.toMatchObject({
      code: 'short-url-not-found',
      details: { shortCode: 'caf\u00e9' },
    });
    await expect(store.get(Reach.everything, 'x', 'a.example')).rejects.toMatchObject({
      details: { shortCode: 'x', domain: 'a.example' },
    });
    expect(await store.find(Reach.everything, 'a\u0000b', null)).toBeUndefined();
  });
});
