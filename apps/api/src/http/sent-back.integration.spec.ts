import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { TestApi } from '../api.spec-helpers.js';
import { ApiModule } from '../api.module.js';
import { TestUsers } from '../users/users.spec-helpers.js';
import { findOperations } from './find-operations.js';

type Thing = Record<string, unknown>;

interface Resource {
  /** Where it is read; a list has it under these names. */
  read: string;
  at?: readonly string[];
  write: (thing: Thing) => string;
  /** A field that the request does not change, and another value of it. */
  other: Thing;
}

let api: TestApi;

/** Of each operation that changes what a GET answers, by its id. */
const RESOURCES: Readonly<Record<string, Resource>> = {
  editShortUrl: {
    read: 'short-urls/sale?domain=go.example.com',
    write: () => 'PATCH short-urls/sale?domain=go.example.com',
    other: { dateCreated: '2020-01-01T00:00:00+00:00' },
  },
  setRedirectRules: {
    read: 'short-urls/ruled/redirect-rules',
    write: () => 'POST short-urls/ruled/redirect-rules',
    other: { defaultLongUrl: 'https://example.com/elsewhere' },
  },
  patchRedirectRules: {
    read: 'short-urls/ruled/redirect-rules',
    write: () => 'PATCH short-urls/ruled/redirect-rules',
    other: { defaultLongUrl: 'https://example.com/elsewhere' },
  },
  renameGroup: {
    read: 'groups',
    at: ['groups', 'data'],
    write: ({ groupId }) => `PATCH groups/${encodeURIComponent(groupId as string)}`,
    other: { groupId: 'another' },
  },
  redirectDomain: {
    read: 'domains',
    at: ['domains', 'data'],
    write: () => 'PATCH domains/redirects',
    other: {
      redirects: { baseUrlRedirect: 'https://x.example/', regular404Redirect: null, invalidShortUrlRedirect: null },
    },
  },
  editApiKey: {
    read: 'api-keys',
    at: ['apiKeys', 'data'],
    write: ({ id }) => `PATCH api-keys/${id as number}`,
    other: { scopes: ['admin', 'links:read'] },
  },
  editUser: {
    read: 'users',
    at: ['users', 'data'],
    write: ({ id }) => `PATCH users/${id as number}`,
    other: { email: 'another@example.com' },
  },
  editWebhook: {
    read: 'webhooks',
    at: ['webhooks', 'data'],
    write: ({ id }) => `PATCH webhooks/${id as string}`,
    other: { createdAt: '2020-01-01T00:00:00+00:00' },
  },
  editAlert: {
    read: 'alerts',
    at: ['alerts', 'data'],
    write: ({ id }) => `PATCH alerts/${id as string}`,
    other: { createdAt: '2020-01-01T00:00:00+00:00' },
  },
  addBlock: { read: 'blocks', at: ['blocks', 'data'], write: () => 'POST blocks', other: { id: '999999' } },
};

/** Operations that create something out of what a GET answers: see created-from-answers.integration.spec.ts. */
const CREATIONS = [
  ...['createShortUrl', 'createShortUrls', 'createGroup', 'createWebhook', 'createApiKey', 'createShareLink'],
  'createAlert',
  'moveShortUrls',
];

/** Operations with a body that do something, or make what no GET answers in their shape. */
const OTHERS = [
  ...['tryRedirectRules', 'getQrCodeWithLogo', 'renameTag', 'mergeTags', 'orderGroups', 'rotateApiKey', 'inviteUser'],
  ...['acceptInvite', 'signIn', 'changePassword', 'beginSecondFactor', 'confirmSecondFactor', 'removeSecondFactor'],
  ...['feedHosts', 'redriveDeadLetters', 'planJob'],
];

beforeAll(async () => {
  api = await TestApi.start({ SMTP_FROM: 'hopcount@example.com' });
  const rules = {
    redirectRules: [
      { longUrl: 'https://example.com/1', conditions: [{ type: 'device', matchKey: null, matchValue: 'android' }] },
      { longUrl: 'https://example.com/2', conditions: [{ type: 'query-param', matchKey: 'a', matchValue: 'b' }] },
    ],
    split: [{ longUrl: 'https://example.com/3', weight: 2 }],
  };
  const period = { validSince: '2026-01-01T00:00:00+00:00', validUntil: '2036-01-01T00:00:00+00:00' };
  const sale = {
    longUrl: 'https://example.com/',
    customSlug: 'sale',
    domain: 'go.example.com',
    title: 'Sale',
    ...period,
  };
  await api.create({
    ...sale,
    tags: ['b', 'a'],
    groupId: 'Spring',
    maxVisits: 5,
    note: 'n',
    password: 'a rather long one',
  });
  await api.create({ longUrl: 'https://example.com/', customSlug: 'ruled' });
  const post = (path: string, body: object) => api.request('POST', `/rest/v3/${path}`, { body });
  await post('short-urls/ruled/redirect-rules', rules);
  await api.request('PATCH', '/rest/v3/domains/redirects', {
    body: { domain: 'go.example.com', baseUrlRedirect: 'https://example.com/base' },
  });
  await post('api-keys', { name: 'reader', scopes: ['links:read'], domain: 'go.example.com' });
  const hook = { url: 'https://hooks.example.com/x', events: ['link.created', 'link.visits_reached'], visits: [10] };
  const { body } = await post('webhooks', { ...hook, description: 'd' });
  await api.request('PATCH', `/rest/v3/webhooks/${body['id'] as string}`, { body: { enabled: false } });
  await api.database.query(`UPDATE webhooks SET disabled_reason = 'Nothing could be delivered for a day.'`);
  const alert = { name: 'quiet', windowMinutes: 60, threshold: 5, url: 'https://hooks.example.com/a' };
  await post('alerts', { ...alert, kind: 'below', tag: 'a' });
  await post('alerts', { ...alert, kind: 'above', url: null, channel: 'email', email: 'ada@example.com' });
  await post('alerts', { ...alert, kind: 'drop', factor: 2.5, timeZone: 'Asia/Calcutta', host: 'example.com' });
  await new TestUsers(api).create({ role: 'owner' });
  await new TestUsers(api).invite({ groups: { Spring: 'member' } });
  await post('blocks', { kind: 'host', value: 'evil.example', reason: 'phishing', action: 'warn' });
});
afterAll(() => api.stop());

async function readAll({ read, at = [] }: Resource): Promise<{ things: Thing[]; etag: string | null }> {
  const { status, body, headers } = await api.get(read);
  expect([read, status]).toEqual([read, 200]);
  const found = at.reduce<unknown>((value, name) => (value as Thing)[name], body);
  const things = at.length === 0 ? [found as Thing] : (found as Thing[]);
  expect([read, things.length > 0]).toEqual([read, true]);
  return { things, etag: headers.get('etag') };
}

const send = (resource: Resource, thing: Thing, more: Thing = {}) => {
  const [method, path] = resource.write(thing).split(' ') as [string, string];
  return api.request(method, `/rest/v3/${path}`, { body: { ...thing, ...more } });
};

/** All that a change could leave behind. */
const traces = () =>
  api.database.query(`SELECT (SELECT jsonb_agg(to_jsonb(links) ORDER BY id) FROM links) AS links,
    (SELECT jsonb_agg(to_jsonb(webhooks) ORDER BY id) FROM webhooks) AS webhooks,
    (SELECT count(*) FROM webhook_events) AS events, (SELECT jsonb_agg(to_jsonb(group_roles)) FROM group_roles) AS roles`);

describe('what a GET answered', () => {
  it('is walked for every operation that changes something a GET answers', () => {
    const taking = findOperations(ApiModule).filter(({ body, method }) => method !== 'GET' && body !== undefined);
    expect(taking.map(({ id }) => id).sort()).toEqual([...Object.keys(RESOURCES), ...CREATIONS, ...OTHERS].sort());
  });

  it.each(Object.entries(RESOURCES))('%s takes it back unchanged, and nothing changes', async (_, resource) => {
    const { things, etag } = await readAll(resource);
    const before = await traces();
    for (const thing of things) {
      const { status, body } = await send(resource, thing);
      expect([resource.write(thing), status, body['reasons'] ?? null]).toEqual([resource.write(thing), 200, null]);
    }
    expect(await readAll(resource)).toEqual({ things, etag });
    expect(await traces()).toEqual(before);
  });

  it.each(Object.entries(RESOURCES))('%s refuses another value of what it does not change', async (_, resource) => {
    const { things } = await readAll(resource);
    const [name] = Object.keys(resource.other);
    for (const thing of things) {
      const { status, body } = await send(resource, thing, resource.other);
      expect([status, body['type'], body['invalidElements']]).toEqual([
        ...[422, 'urn:hopcount:problem:read-only-field', [name]],
      ]);
    }
    expect((await readAll(resource)).things).toEqual(things);
  });

  it('may hold visits that were counted since it was read', async () => {
    const { body } = await api.get('short-urls/ruled');
    const visitsSummary = { total: 7, nonBots: 6, bots: 1 };
    const answer = await api.request('PATCH', '/rest/v3/short-urls/ruled', { body: { ...body, visitsSummary } });
    expect([answer.status, answer.body['visitsSummary']]).toEqual([200, { total: 0, nonBots: 0, bots: 0 }]);
  });

  it('may be written in another spelling of the same moment', async () => {
    const { body } = await api.get('short-urls/ruled');
    const dateCreated = new Date(body['dateCreated'] as string).toISOString();
    expect((await api.request('PATCH', '/rest/v3/short-urls/ruled', { body: { ...body, dateCreated } })).status).toBe(
      200,
    );
  });

  it('takes a change beside it', async () => {
    const { body, headers } = await api.get('short-urls/sale?domain=go.example.com');
    const path = '/rest/v3/short-urls/sale?domain=go.example.com';
    const answer = await api.request('PATCH', path, { body: { ...body, title: 'Other', maxVisits: 6 } });
    expect(answer.body).toMatchObject({ title: 'Other', meta: { maxVisits: 6 } });
    expect(answer.headers.get('etag')).not.toBe(headers.get('etag'));
  });

  it('is refused with an ETag that is not the current one', async () => {
    const { body } = await api.get('short-urls/ruled');
    const answer = await api.request('PATCH', '/rest/v3/short-urls/ruled', { body, headers: { 'if-match': '"99"' } });
    expect([answer.status, answer.body['type']]).toEqual([409, 'urn:hopcount:problem:version-conflict']);
  });

  it('is taken for a short URL whose target was blocked meanwhile', async () => {
    await api.create({ longUrl: 'https://blocked-later.example/', customSlug: 'later', expiredUrl: null });
    const body = { kind: 'host', value: 'blocked-later.example' };
    expect((await api.request('POST', '/rest/v3/blocks', { body })).status).toBe(200);
    const { body: link } = await api.get('short-urls/later');
    const edited = await api.request('PATCH', '/rest/v3/short-urls/later', { body: { ...link, title: 'Still here' } });
    expect([edited.status, edited.body['title']]).toEqual([200, 'Still here']);
  });
});

describe('an alert by e-mail', () => {
  const email = { name: 'mail', kind: 'below', windowMinutes: 60, threshold: 1, channel: 'email' };
  const channels = async (from: TestApi) => (await from.get('alerts')).body['channels'];

  it('is answered with its address and without a secret', async () => {
    const body = { ...email, email: 'Ada@Example.com' };
    const made = await api.request('POST', '/rest/v3/alerts', { body });
    expect([made.status, made.body['url'], made.body['email'], made.body['secret']]).toEqual([
      ...[200, null, 'ada@example.com', null],
    ]);
    expect(await channels(api)).toEqual(['webhook', 'slack', 'email']);
  });

  it('cannot be made where no mail server is set: the answer names the setting', async () => {
    const without = await TestApi.start({ DATABASE_URL: api.database.url });
    const { status, body } = await without.request('POST', '/rest/v3/alerts', { body: email });
    expect([status, body['type']]).toEqual([409, 'urn:hopcount:problem:email-not-configured']);
    expect(body['detail']).toContain('SMTP_FROM');
    expect(await channels(without)).toEqual(['webhook', 'slack']);
    await without.stop();
  });
});

describe('the priority of redirect rules', () => {
  const rule = (name: string, priority?: unknown) => ({
    longUrl: `https://example.com/${name}`,
    ...(priority !== undefined && { priority }),
    conditions: [{ type: 'device', matchKey: null, matchValue: 'ios' }],
  });
  const set = (redirectRules: object[]) =>
    api.request('POST', '/rest/v3/short-urls/ruled/redirect-rules', { body: { redirectRules } });

  it('is their place in the list, as in Shlink, whatever they had when they were read', async () => {
    // As the web client sends them after "move up", with a new rule at the end.
    const { status, body } = await set([rule('b', 2), rule('a', 1), rule('new')]);
    expect(status).toBe(200);
    expect((body['redirectRules'] as Thing[]).map(({ longUrl, priority }) => [longUrl, priority])).toEqual([
      ['https://example.com/b', 1],
      ['https://example.com/a', 2],
      ['https://example.com/new', 3],
    ]);
  });

  it.each([
    ['text', 'first'],
    ['zero', 0],
    ['a fraction', 1.5],
  ])('that is %s is refused', async (_, priority) => {
    const { status, body } = await set([rule('a', priority)]);
    expect([status, body['reasons']]).toEqual([400, [expect.objectContaining({ field: 'redirectRules.0.priority' })]]);
  });
});
