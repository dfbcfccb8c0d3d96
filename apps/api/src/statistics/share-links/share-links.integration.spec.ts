import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { enrichedVisit, openLedger } from '@hopcount/ledger/spec-helpers';
import { waitUntil } from '@hopcount/testing';

import { PROBES } from '../../access/probes.spec-helpers.js';
import { ApiModule } from '../../api.module.js';
import { TestApi } from '../../api.spec-helpers.js';
import { findOperations } from '../../http/find-operations.js';
import { SAME_ORIGIN, TestUsers } from '../../users/users.spec-helpers.js';

const DAY_MS = 86_400_000;
const ENDED = 'urn:hopcount:problem:share-link-ended';
const NOT_ALLOWED = 'urn:hopcount:problem:missing-scope';
const THING = { code: 'sale', domain: 's.test', homeDomain: 's.test', tag: 'spring', group: 'team' };

describe('a share link', () => {
  let api: TestApi;
  let users: TestUsers;
  let owner: Awaited<ReturnType<TestUsers['create']>>;

  beforeAll(async () => {
    api = await TestApi.start();
    users = new TestUsers(api);
    await api.database.query(`INSERT INTO groups (id, name) VALUES ('team', 'Team'), ('others', 'Others')`);
    const idOf = async (body: object) => (await api.create({ longUrl: 'https://example.com/', ...body })).body['id'];
    const sale = await idOf({ customSlug: 'sale', tags: ['spring'], groupId: 'team' });
    const other = await idOf({ customSlug: 'other', groupId: 'others' });
    const commit = await openLedger(api.resources.database);
    for (const [linkId, visits] of [
      [sale, 3],
      [other, 2],
    ] as const) {
      for (let n = 0; n < visits; n += 1) await commit([enrichedVisit({ linkId: linkId as string })]);
    }
    owner = await users.create({ role: 'owner' });
  });
  afterAll(() => api.stop());

  const make = (body: object, { cookie } = owner) =>
    users.ask('share-links', {
      ...{ method: 'POST', cookie },
      body: { name: 'shared', expirationDate: new Date(Date.now() + DAY_MS).toISOString(), ...body },
    });
  const tokenOf = async (body: object, by = owner) => {
    const made = await make(body, by);
    expect(made.status).toBe(200);
    return { token: made.body['token'] as string, id: made.body['id'] as number };
  };
  const ask = (token: string, query: string) =>
    users.ask(`statistics/${query}`, { headers: { 'x-share-token': token } });
  /** The number of visits, or the kind of the problem. */
  const visitsOf = async (token: string, query = '') => {
    const { status, body } = await ask(token, `totals?${query}`);
    return status === 200 ? (body['totals'] as { visits: number }).visits : body['type'];
  };
  const ended = (token: string, query: string) =>
    waitUntil(async () => (await visitsOf(token, query)) === ENDED, { timeoutMs: 30_000, describe: 'the link ended' });

  it('shows the totals, series, dimensions, matrix and links of its view to whoever has it', async () => {
    const { token } = await tokenOf({ shortCode: 'sale' });
    expect(await visitsOf(token, 'shortCode=sale')).toBe(3);
    const others = ['series?', 'dimensions/browser?', 'matrix?rows=hour&columns=weekday&', 'links?'];
    const answers = await Promise.all(others.map((path) => ask(token, `${path}shortCode=sale`)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(JSON.stringify(answers.at(-1)?.body)).not.toContain('/other"');
    expect(await visitsOf(token, 'shortCode=sale&range=yesterday&timeZone=Asia/Kolkata')).toBe(0);
  });

  it('names its view in its address, and its token only behind the #', async () => {
    const { body } = await make({ tag: 'spring', filters: ['country=DE', 'class=human'] });
    const link = new URL(body['link'] as string);
    expect(link.pathname + link.search).toBe('/share?tag=spring&filter=country%3DDE&filter=class%3Dhuman');
    expect(link.hash).toBe(`#${body['token'] as string}`);
    const [row] = await api.database.query<{ text: string }>(
      'SELECT s::text AS text FROM share_links AS s ORDER BY id DESC LIMIT 1',
    );
    expect(row?.text).not.toContain(body['token']);
    const [entry] = await api.database.query<{ kind: string; text: string }>(
      `SELECT kind, l::text AS text FROM audit_log AS l WHERE kind = 'share-link' ORDER BY id DESC LIMIT 1`,
    );
    expect(entry?.text).toContain('(secret)');
  });

  it('shows nothing else, whatever the parameters are changed to', async () => {
    const { token } = await tokenOf({ shortCode: 'sale', filters: ['country!=XX'] });
    const right = 'shortCode=sale&filter[]=country!=XX';
    expect(await visitsOf(token, right)).toBe(3);
    const others = [
      ...[
        '',
        'shortCode=sale',
        'shortCode=other&filter[]=country!=XX',
        `${right}&tag=spring`,
        `${right}&domain=s.test`,
      ],
      ...[`${right}&filter[]=country=DE`, `${right}&group=team`, 'shortCode=sale&filter[]=country=XX'],
      ...[`shortCode=sale&shortCode=other&filter[]=country!=XX`, `${right}&orphans=true`, 'orphans=true'],
      `${right}&host=example.com`,
    ];
    for (const query of others) expect([query, await visitsOf(token, query)]).toEqual([query, NOT_ALLOWED]);
    for (const path of ['dimensions/ip?', 'matrix?rows=ip&columns=hour&', 'matrix?rows=hour&columns=ip&']) {
      expect([path, (await ask(token, path + right)).body['type']]).toEqual([path, NOT_ALLOWED]);
    }
  });

  it('shows its view with any filter that statistics take, also with one that was named twice', async () => {
    const filters = [
      'country!=XX',
      'referrerUrl!^=https://a.example/',
      'country!=XX',
      `destination!=${'x'.repeat(300)}`,
    ];
    const { token } = await tokenOf({ shortCode: 'sale', filters });
    const asked = (texts: string[]) =>
      ['shortCode=sale', ...texts.map((text) => `filter[]=${encodeURIComponent(text)}`)].join('&');
    // As the page asks, and as it was made.
    expect(await visitsOf(token, asked([...new Set(filters)]))).toBe(3);
    expect(await visitsOf(token, asked(filters))).toBe(3);
    expect(await visitsOf(token, asked(filters.slice(0, 3)))).toBe(NOT_ALLOWED);
  });

  it('is worth nothing on any other route, and changes nothing', async () => {
    const { token } = await tokenOf({});
    const shared = findOperations(ApiModule).filter(({ takesShareLink }) => takesShareLink === true);
    expect(shared.map(({ id, method }) => `${method} ${id}`).sort()).toEqual([
      ...['GET getVisitedLinks', 'GET getVisitsDimension', 'GET getVisitsMatrix', 'GET getVisitsSeries'],
      'GET getVisitsTotals',
    ]);
    const context = { id: '1', userId: owner.id, importId: '1', liveToken: '' };
    for (const { method, path, scope, takesShareLink } of findOperations(ApiModule)) {
      if (takesShareLink === true || scope === 'public') continue;
      const { path: asked, body, headers } = PROBES[`${method} ${path}`]!.ask(THING, context);
      const answer = await fetch(api.url + asked, {
        method,
        headers: {
          ...{ 'x-share-token': token, ...SAME_ORIGIN },
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
      expect([method, path, answer.status]).toEqual([method, path, 401]);
    }
  });

  it('answers the same, whether it expired, was revoked or never was one, after the same question', async () => {
    const [revoked, expired] = [await tokenOf({}), await tokenOf({})];
    await api.database.query(`UPDATE share_links SET expires_at = now() - interval '1 second' WHERE id = $1`, [
      expired.id,
    ]);
    expect((await users.ask(`share-links/${revoked.id}`, { method: 'DELETE', cookie: owner.cookie })).status).toBe(204);
    const unknown = `${'A'.repeat(42)}B`;
    const answers = await Promise.all(
      [revoked.token, expired.token, unknown].map(async (token) => {
        const { status, body } = await ask(token, 'totals');
        return JSON.stringify([status, { ...body, instance: '' }]);
      }),
    );
    expect(new Set(answers).size).toBe(1);
    expect(answers[0]).toContain(ENDED);
    expect((await users.ask(`share-links/${revoked.id}`, { method: 'DELETE', cookie: owner.cookie })).status).toBe(404);
  });

  it('ends when its maker is disabled, and stays ended', async () => {
    const maker = await users.create({ role: 'viewer' });
    const { token } = await tokenOf({}, maker);
    expect(await visitsOf(token)).toBe(5);
    const enable = (enabled: boolean) =>
      api.request('PATCH', `/rest/v3/users/${maker.id}`, { body: { enabled } }).then(({ status }) => status);
    expect(await enable(false)).toBe(200);
    await ended(token, '');
    expect(await enable(true)).toBe(200);
    expect(await visitsOf(token)).toBe(ENDED);
  });

  it('shows what its maker may see now, and never more than when it was made', async () => {
    const maker = await users.create({ groups: { team: 'viewer' } });
    const [all, ofGroup] = [await tokenOf({}, maker), await tokenOf({ group: 'team' }, maker)];
    const link = await tokenOf({ shortCode: 'sale' }, maker);
    expect((await make({ shortCode: 'other' }, maker)).status).toBe(404);
    expect((await make({ group: 'others' }, maker)).status).toBe(404);
    expect([await visitsOf(all.token), await visitsOf(ofGroup.token, 'group=team')]).toEqual([3, 3]);
    const edit = (body: object) => api.request('PATCH', `/rest/v3/users/${maker.id}`, { body });
    await edit({ role: 'owner', groups: {} });
    const { token: wide } = await tokenOf({}, maker);
    // Until this process has forgotten what it knew.
    await waitUntil(async () => (await visitsOf(wide)) === 5, { timeoutMs: 30_000, describe: 'all visits' });
    expect(await visitsOf(all.token)).toBe(3);
    await edit({ role: null, groups: { others: 'viewer' } });
    await ended(all.token, '');
    await ended(ofGroup.token, 'group=team');
    await ended(link.token, 'shortCode=sale');
  });

  it('is listed and revoked by its maker and by owners, and by nobody else', async () => {
    const [maker, other] = [await users.create({ role: 'viewer' }), await users.create({ role: 'member' })];
    const { id, token } = await tokenOf({ tag: 'spring' }, maker);
    const listed = async ({ cookie }: typeof maker) => {
      const { shareLinks } = (await users.ask('share-links', { cookie })).body as {
        shareLinks: { data: { id: number; view: object; createdBy: object }[] };
      };
      return shareLinks.data.find((shareLink) => shareLink.id === id);
    };
    expect(await listed(maker)).toMatchObject({ createdBy: { id: maker.id }, view: { tag: 'spring', filters: [] } });
    expect([await listed(other), (await listed(owner))?.id]).toEqual([undefined, id]);
    const revoke = async ({ cookie }: typeof maker) =>
      (await users.ask(`share-links/${id}`, { method: 'DELETE', cookie })).status;
    expect([await revoke(other), await revoke(owner), await revoke(maker)]).toEqual([404, 204, 404]);
    expect(await visitsOf(token, 'tag=spring')).toBe(ENDED);
  });

  it('shows nothing while its short URL is deleted', async () => {
    await api.create({ longUrl: 'https://example.com/', customSlug: 'short-lived' });
    const { token } = await tokenOf({ shortCode: 'short-lived' });
    expect(await visitsOf(token, 'shortCode=short-lived')).toBe(0);
    await api.request('DELETE', '/rest/v3/short-urls/short-lived');
    await ended(token, 'shortCode=short-lived');
    await api.request('POST', '/rest/v3/deleted-short-urls/short-lived/restore');
    expect(await visitsOf(token, 'shortCode=short-lived')).toBe(0);
  });

  it('goes on when its tag gets another name, and ends with it', async () => {
    await api.request('PATCH', '/rest/v3/short-urls/sale', { body: { tags: ['spring', 'early'] } });
    const { token } = await tokenOf({ tag: 'early' });
    expect(await visitsOf(token, 'tag=early')).toBe(3);
    const rename = { oldName: 'early', newName: 'late' };
    expect((await api.request('PUT', '/rest/v3/tags', { body: rename })).status).toBeLessThan(300);
    // Another that gets its name is another, which nobody shared.
    await api.create({ longUrl: 'https://example.com/', customSlug: 'stranger', tags: ['early'] });
    const isShown = async () => (await visitsOf(token, 'tag=early')) === 3;
    await waitUntil(isShown, { timeoutMs: 30_000, describe: 'the visits of the renamed tag' });
    expect(await visitsOf(token, 'tag=late')).toBe(NOT_ALLOWED);
    await api.request('DELETE', '/rest/v3/tags?tags[]=late');
    await ended(token, 'tag=early');
  });

  it('ends when its code is that of another short URL by now, on another default domain', async () => {
    for (const domain of ['s.test', 'n.test']) {
      await api.create({ longUrl: 'https://example.com/', customSlug: 'moved', domain });
    }
    const [unnamed, named] = [{ shortCode: 'moved' }, { shortCode: 'moved', domain: 's.test' }];
    const made = { unnamed: await tokenOf(unnamed), named: await tokenOf(named) };
    const makeDefault = async (authority: string) => {
      await api.database.query('UPDATE domains SET is_default = false WHERE is_default');
      await api.database.query('UPDATE domains SET is_default = true WHERE authority = $1', [authority]);
    };
    expect(await visitsOf(made.unnamed.token, 'shortCode=moved')).toBe(0);
    await makeDefault('n.test');
    await ended(made.unnamed.token, 'shortCode=moved');
    await makeDefault('s.test');
    expect(await visitsOf(made.unnamed.token, 'shortCode=moved')).toBe(0);
    expect(await visitsOf(made.named.token, 'shortCode=moved&domain=s.test')).toBe(0);
  });

  it('is refused with an end in the past or beyond a year, filters that are none, and beyond a hundred', async () => {
    const inDays = (days: number) => ({ expirationDate: new Date(Date.now() + days * DAY_MS).toISOString() });
    for (const body of [
      inDays(-1),
      inDays(400),
      { filters: ['planet=Mars'] },
      { filters: ['a', 'b'].map((letter) => `referrerUrl=${letter.repeat(2_000)}`) },
      { name: '' },
      { shortCode: 'a\u0000' },
    ]) {
      expect([body, (await make(body)).status]).toEqual([body, 400]);
    }
    const { id, cookie } = await users.create({ role: 'viewer' });
    await api.database.query(
      `INSERT INTO share_links (token_hash, name, user_id, view, expires_at)
       SELECT sha256(n::text::bytea), 'many', $1, '{}', now() + make_interval(days => n - 1) FROM generate_series(1, 100) AS n`,
      [id],
    );
    const mine = { email: '', id, cookie };
    // One of the hundred has expired.
    expect([(await make({}, mine)).status, (await make({}, mine)).status]).toEqual([200, 409]);
  });
});
