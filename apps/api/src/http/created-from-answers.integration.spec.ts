import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { TestApi } from '../api.spec-helpers.js';
import { SAME_ORIGIN, TestUsers } from '../users/users.spec-helpers.js';

type Thing = Record<string, unknown>;

interface Creation {
  read: string;
  at: readonly [string, string];
  create: string;
  /** Where there can only be one of the kind, which the answer 409 says: what makes it another one. */
  another?: Thing;
  /** What a new one has of its own. */
  own: readonly string[];
  /** Says what the new one is to be, in a way that a new one cannot be. */
  refused?: Thing;
}

const LINK: Creation = {
  ...{ read: 'short-urls', at: ['shortUrls', 'data'], create: 'short-urls', refused: { hasPassword: true } },
  own: ['id', 'shortCode', 'shortUrl', 'dateCreated', 'visitsSummary', 'hasRedirectRules'],
};
const CREATIONS: Readonly<Record<string, Creation>> = {
  'short URL': LINK,
  group: {
    ...{ read: 'groups', at: ['groups', 'data'], create: 'groups', another: { groupId: 'autumn' } },
    own: ['shortUrlsCount', 'deletedShortUrlsCount'],
  },
  webhook: {
    ...{ read: 'webhooks', at: ['webhooks', 'data'], create: 'webhooks', refused: { enabled: false } },
    own: ['id', 'createdAt', 'waiting', 'secret'],
  },
  alert: {
    ...{ read: 'alerts', at: ['alerts', 'data'], create: 'alerts', refused: { enabled: false } },
    own: ['id', 'createdAt', 'checkedUntil', 'secret'],
  },
  'API key': {
    ...{ read: 'api-keys', at: ['apiKeys', 'data'], create: 'api-keys', another: { name: 'another' } },
    ...{ own: ['id', 'dateCreated', 'dateLastUsed', 'prefix', 'apiKey'], refused: { state: 'disabled' } },
  },
  'share link': {
    ...{ read: 'share-links', at: ['shareLinks', 'data'], create: 'share-links' },
    own: ['id', 'dateCreated', 'link', 'token'],
  },
};
const SETTINGS = { maxVisits: 5, validSince: '2026-01-01T00:00:00+00:00', validUntil: '2036-01-01T00:00:00+00:00' };

let api: TestApi;
let users: TestUsers;
let cookie: string;

beforeAll(async () => {
  api = await TestApi.start();
  users = new TestUsers(api);
  ({ cookie } = await users.create({ role: 'owner' }));
  const more = { expiredUrl: 'https://example.com/over', extraPath: 'append', forwardQuery: false, warn: true };
  await api.create({
    ...{ longUrl: 'https://example.com/', customSlug: 'sale', domain: 'go.example.com', title: 'Sale' },
    ...{ tags: ['b', 'a'], groupId: 'spring', note: 'n', crawlable: true, ...SETTINGS, ...more },
  });
  await ask('POST', 'webhooks', { url: 'https://hooks.example.com/x', events: ['link.created'], description: 'd' });
  const watched = { name: 'a', shortCode: 'sale', domain: 'go.example.com', url: 'https://hooks.example.com/a' };
  await ask('POST', 'alerts', { ...watched, kind: 'rise', windowMinutes: 60, threshold: 5, channel: 'slack' });
  const key = { name: 'reader', scopes: ['links:read'], domain: 'go.example.com', noOrphanVisits: true };
  await ask('POST', 'api-keys', { ...key, expirationDate: '2030-01-01T00:00:00Z' });
  await ask('POST', 'share-links', { name: 's', group: 'spring', filters: ['country=DE'], expirationDate: tomorrow() });
});
afterAll(() => api.stop());

const tomorrow = () => new Date(Date.now() + 86_400_000).toISOString();

/** As an owner who is signed in. */
const ask = (method: string, path: string, body?: object) =>
  users.ask(path, { method, body, cookie, headers: SAME_ORIGIN });

/** The last one of the list, which is the one made above. */
async function readOne({ read, at: [first, second] }: Creation): Promise<Thing> {
  const { body } = await ask('GET', read);
  return ((body[first] as Thing)[second] as Thing[]).find(({ name }) => !(name as string)?.startsWith('test')) as Thing;
}

function without(thing: Thing, names: readonly string[]): Thing {
  return Object.fromEntries(Object.entries(thing).filter(([name]) => !names.includes(name)));
}

describe('a creation takes what a GET answered', () => {
  it.each(Object.entries(CREATIONS))('as another %s that is as the first', async (_, creation) => {
    const thing = await readOne(creation);
    if (creation.another !== undefined) expect((await ask('POST', creation.create, thing)).status).toBe(409);
    const { status, body } = await ask('POST', creation.create, { ...thing, ...creation.another });
    expect([status, body['reasons'] ?? null]).toEqual([200, null]);
    expect(without(body, creation.own)).toEqual(without({ ...thing, ...creation.another }, creation.own));
  });

  it.each(Object.entries(CREATIONS).filter(([, { refused }]) => refused !== undefined))(
    'as another %s, unless it says something that no new one can be',
    async (_, { refused = {}, ...creation }) => {
      const thing = { ...(await readOne(creation)), ...creation.another, ...refused };
      const { status, body } = await ask('POST', creation.create, thing);
      expect([status, body['type'], body['invalidElements']]).toEqual([
        ...[422, 'urn:hopcount:problem:read-only-field', Object.keys(refused)],
      ]);
    },
  );

  it('one by one in a batch', async () => {
    const thing = await readOne(LINK);
    const { status, body } = await ask('POST', 'short-urls/batch', {
      shortUrls: [thing, { ...thing, hasPassword: true }],
    });
    expect([status, body['created']]).toEqual([200, 1]);
    const [first, second] = body['results'] as [{ shortUrl: Thing }, { problem: Thing }];
    expect(without(first.shortUrl, LINK.own)).toEqual(without(thing, LINK.own));
    expect(second.problem['status']).toBe(422);
  });

  it('and finds the short URL that it was answered of', async () => {
    const { body: thing } = await api.get('short-urls/sale?domain=go.example.com');
    const { status, body } = await api.create({ ...thing, findIfExists: true });
    expect([status, body['id']]).toEqual([200, thing['id']]);
  });

  it('to move short URLs', async () => {
    const thing = await readOne(LINK);
    const { status, body } = await ask('POST', 'short-urls/move', { groupId: null, shortUrls: [thing] });
    expect([status, body]).toEqual([200, { movedShortUrls: 1 }]);
  });

  it('and what is given beside it counts', async () => {
    const { body: thing } = await api.get('short-urls/sale?domain=go.example.com');
    const { body } = await api.create({ ...thing, customSlug: 'other', maxVisits: 6, password: 'a rather long one' });
    expect(body).toMatchObject({ shortCode: 'other', hasPassword: true, meta: { ...SETTINGS, maxVisits: 6 } });
  });

  it('but no period that ends before it begins', async () => {
    const { body: thing } = await api.get('short-urls/sale?domain=go.example.com');
    const { status, body } = await api.create({ ...thing, validUntil: '2025-01-01T00:00:00+00:00' });
    expect([status, body['invalidElements']]).toEqual([400, ['validUntil']]);
  });
});
