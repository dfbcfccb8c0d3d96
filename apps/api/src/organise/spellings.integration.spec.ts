import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { enrichedVisit, openLedger } from '@hopcount/ledger/spec-helpers';
import { type TestTopic, testTopic } from '@hopcount/testing';

import { PROBES, type Thing } from '../access/probes.spec-helpers.js';
import { TestApi } from '../api.spec-helpers.js';
import { SAME_ORIGIN, TestUsers } from '../users/users.spec-helpers.js';

const TOMORROW = new Date(Date.now() + 86_400_000).toISOString();
const DOMAIN = 'bücher.example:8443';

interface Asked {
  method?: string;
  path: string;
  body?: unknown;
  /** Who has a link to a view, or is signed in, in place of the key. */
  headers?: Record<string, string>;
}

/** Other ways to write each of the names; all of them name what was created. */
const SPELLINGS: Readonly<Record<string, (thing: Thing) => Thing>> = {
  'as they were created': (thing) => thing,
  'in decomposed accents': (thing) => mapped(thing, (text) => text.normalize('NFD')),
  'with spaces around them': (thing) => mapped(thing, (text) => `  ${text} `),
  'with capitals where these do not count, and a dot behind the host': (thing) => ({
    ...thing,
    tag: thing.tag.toUpperCase().replace(' ', '  '),
    domain: thing.domain.toUpperCase().replace(':', '.:0'),
    homeDomain: thing.homeDomain.toUpperCase().replace(':', '.:0'),
  }),
  'as they are answered': (thing) => ({
    ...thing,
    code: thing.code.replaceAll(' ', '-'),
    tag: thing.tag.toLowerCase().replaceAll(' ', '-'),
    domain: 'xn--bcher-kva.example:8443',
    homeDomain: 'xn--bcher-kva.example:8443',
  }),
};

function mapped(thing: Thing, change: (text: string) => string): Thing {
  return Object.fromEntries(
    Object.entries(thing).map(([name, text]) => [name, change(text as string)]),
  ) as unknown as Thing;
}

/** What takes a name and is no probe of its own, or takes it elsewhere; each changes nothing, or the same again. */
const MORE: Readonly<Record<string, (thing: Thing, context: { userId: number }) => Asked>> = {
  'tags of the list': ({ tag }) => ({ path: `short-urls?tags[]=${encodeURIComponent(tag)}` }),
  'all tags of the list': ({ tag }) => ({
    path: `short-urls?tagsMode=all&tags[]=${encodeURIComponent(tag)}&tags[]=second`,
  }),
  'tags the list leaves out': ({ tag }) => ({ path: `short-urls?excludeTags[]=${encodeURIComponent(tag)}` }),
  'all tags the list leaves out': ({ tag }) => ({
    path: `short-urls?excludeTagsMode=all&excludeTags[]=${encodeURIComponent(tag)}&excludeTags[]=second`,
  }),
  'the group of the list': ({ group }) => ({ path: `short-urls?group=${encodeURIComponent(group)}` }),
  'the domain of the list': ({ domain }) => ({ path: `short-urls?domain=${encodeURIComponent(domain)}` }),
  'a search in the list': ({ code, domain }) => ({
    path: `short-urls?searchTerm=${encodeURIComponent(code.trim().replaceAll(' ', '-'))}&domain=${encodeURIComponent(domain)}`,
  }),
  'the domain of the recycle bin': ({ domain }) => ({
    path: `deleted-short-urls?domain=${encodeURIComponent(domain)}`,
  }),
  'the group of statistics': ({ group }) => ({ path: `statistics/totals?group=${encodeURIComponent(group)}` }),
  'the domain of statistics': ({ domain }) => ({ path: `statistics/totals?domain=${encodeURIComponent(domain)}` }),
  'the tag of a domain in statistics': ({ tag, domain }) => ({
    path: `statistics/totals?tag=${encodeURIComponent(tag)}&domain=${encodeURIComponent(domain)}`,
  }),
  'a filter of statistics': ({ code, domain }) => ({
    path: `statistics/totals?filter[]=${encodeURIComponent(`shortCode=${code}`)}&domain=${encodeURIComponent(domain)}`,
  }),
  'the short URL of exported visits': ({ code, domain }) => ({
    path: `exports/visits?format=jsonl&shortCode=${encodeURIComponent(code)}&domain=${encodeURIComponent(domain)}`,
  }),
  'the domain of orphan visits': ({ domain }) => ({ path: `visits/orphan?domain=${encodeURIComponent(domain)}` }),
  'the domain of a tag': ({ tag, domain }) => ({
    path: `tags/${encodeURIComponent(tag)}/visits?domain=${encodeURIComponent(domain)}`,
  }),
  'groups of users': ({ group }, { userId }) => ({
    method: 'PATCH',
    path: `users/${userId}`,
    body: { groups: { [group]: 'member' } },
  }),
  'the group and the tags of an edit': ({ group, tag, code, domain }) => ({
    method: 'PATCH',
    path: `short-urls/${encodeURIComponent(code)}?domain=${encodeURIComponent(domain)}`,
    body: { groupId: group, tags: [tag, 'second'] },
  }),
  'a search for an existing short URL': ({ group, tag, code, domain }) => ({
    method: 'POST',
    path: 'short-urls',
    body: {
      ...{ longUrl: 'https://example.com/', findIfExists: true, customSlug: code, domain },
      groupId: group,
      tags: [tag, 'second'],
    },
  }),
  'a blocked short URL': ({ code, domain }) => ({
    method: 'POST',
    path: 'blocks',
    body: { kind: 'link', value: `${domain.trim()}/${code}`, action: 'warn' },
  }),
  'the order of groups': ({ group }) => ({ method: 'PUT', path: 'groups/order', body: { groupIds: [group] } }),
  'a move to a group': ({ group, code, domain }) => ({
    method: 'POST',
    path: 'short-urls/move',
    body: { groupId: group, shortUrls: [{ shortCode: code, domain }] },
  }),
  'redirects of a domain': ({ domain }) => ({
    method: 'PATCH',
    path: 'domains/redirects',
    body: { domain, baseUrlRedirect: 'https://example.com/base' },
  }),
};

/** Of what is created anew by each request. */
const NEW: Record<string, RegExp> = {
  'POST /rest/v3/alerts': /"(secret|id|createdAt|checkedUntil)":"[^"]*"/g,
};

describe('a name of a tag, a short code, a group or a domain', () => {
  let api: TestApi;
  let counts: TestTopic;
  let standing: Thing;
  let context: { id: string; userId: number; importId: string; liveToken: string };
  let cookie: string;
  let made = 0;

  beforeAll(async () => {
    counts = await testTopic({ label: 'counts' });
    api = await TestApi.start({ HOST_COUNTS_TOPIC: counts.name });
    await api.create({ longUrl: 'https://example.com/', customSlug: 'beside', tags: ['merged'], groupId: 'others' });
    const commit = await openLedger(api.resources.database);
    standing = await make(commit);
    const users = new TestUsers(api);
    ({ cookie } = await users.create({ role: 'owner' }));
    const { id } = await users.create({ role: 'viewer' });
    context = { id: '', userId: id, importId: '', liveToken: '' };
  });
  afterAll(async () => {
    await api.stop();
    await counts.delete();
  });

  /** @param commit also a visit */
  async function make(commit?: Awaited<ReturnType<typeof openLedger>>, isDeleted = false): Promise<Thing> {
    const nth = (made += 1);
    const thing = {
      code: `Été Ding${nth}`,
      domain: DOMAIN,
      homeDomain: DOMAIN,
      tag: `Été Bug${nth}`,
      group: `Équipe A${nth}`,
    };
    const { code: customSlug, domain, tag, group: groupId } = thing;
    const given = { longUrl: 'https://example.com/', customSlug, domain, tags: [tag, 'second'], groupId };
    const { status, body } = await api.create(given);
    expect([status, body['shortCode'], body['groupId']]).toEqual([200, `Été-Ding${nth}`, groupId]);
    if (isDeleted) await api.database.query('UPDATE links SET deleted_at = now() WHERE id = $1', [body['id']]);
    await commit?.([enrichedVisit({ linkId: body['id'] as string })]);
    return thing;
  }

  /** Without what is another one each time. */
  const ask = async ({ method = 'GET', path, body, headers = {} }: Asked) => {
    const url = path.startsWith('/') ? path : `/rest/v3/${path}`;
    const answer = await api.request(method, url, { body, headers });
    const text = JSON.stringify(answer.body).replace(
      /"(instance|countedUpTo|asOf|endDate|startDate|from|to)":"[^"]*"/g,
      '',
    );
    return { status: answer.status, text };
  };

  const routes = Object.entries(PROBES).filter(
    ([, { takes }]) => takes === undefined || takes === 'link' || takes === 'deleted',
  );
  /** That name one of the four. */
  const naming = routes.filter(([, { ask: probe }]) => {
    const { path, body } = probe(
      { code: 'NAME', domain: 'NAME', homeDomain: 'NAME', tag: 'NAME', group: 'NAME' },
      { id: '', userId: 0, importId: '', liveToken: '' },
    );
    return JSON.stringify([path, body]).includes('NAME');
  });

  it('is taken by as many operations as the document has', () => {
    expect(naming.map(([route]) => route).length).toBeGreaterThan(30);
  });

  describe.each(Object.entries(SPELLINGS))('%s', (_, spelled) => {
    it.each(naming)('means the same to %s', async (route, { ask: probeOf, takes }) => {
      const asked = (thing: Thing): Asked => {
        const { path, method } = probeOf(mapped(thing, encodeURIComponent), context);
        return { method: method ?? route.split(' ')[0] ?? '', path, body: probeOf(thing, context).body };
      };
      const isCreation = route === 'POST /rest/v3/groups';
      const [plain, other] =
        takes === undefined
          ? [standing, standing]
          : [await make(undefined, takes === 'deleted'), await make(undefined, takes === 'deleted')];
      const expected = await ask(asked(SPELLINGS['as they are answered']!(plain)));
      expect([route, expected.status < 300]).toEqual([route, true]);
      const answer = await ask(asked(spelled(other)));
      const withoutNew = ({ status, text }: typeof answer) => ({ status, text: text.replace(NEW[route] ?? '', '') });
      if (takes === undefined) expect(withoutNew(answer)).toEqual(withoutNew(expected));
      else
        expect([route, answer.status, isCreation ? '' : answer.text.length]).toEqual([
          route,
          expected.status,
          isCreation ? '' : expected.text.length,
        ]);
    });

    it.each(Object.entries(MORE))('means the same in %s', async (_name, request) => {
      const expected = await ask(request(SPELLINGS['as they are answered']!(standing), context));
      expect([expected.text, expected.status < 300]).toEqual([expected.text, true]);
      expect(await ask(request(spelled(standing), context))).toEqual(expected);
    });

    it('means the same to a key of a domain', async () => {
      const body = { name: `of a domain ${(made += 1)}`, scopes: ['links:read'], domain: spelled(standing).domain };
      const key = await api.request('POST', '/rest/v3/api-keys', { body });
      expect(key.body['domain']).toBe('xn--bcher-kva.example:8443');
    });

    it('means the same to who has a link to a view', async () => {
      const { domain, tag } = standing;
      const users = new TestUsers(api);
      const view = { name: 'shared', expirationDate: TOMORROW, tag, domain };
      const { body } = await users.ask('share-links', { method: 'POST', cookie, body: view, headers: SAME_ORIGIN });
      const other = spelled(standing);
      const query = new URLSearchParams({ tag: other.tag, domain: other.domain }).toString();
      const answer = await users.ask(`statistics/totals?${query}`, {
        headers: { 'x-share-token': body['token'] as string },
      });
      expect([answer.status, (answer.body['totals'] as { visits: number }).visits]).toEqual([200, 1]);
    });

    it('means the same to an invitation and to an import', async () => {
      const { group, domain } = spelled(standing);
      const invited = await api.request('POST', '/rest/v3/users/invites', { body: { groups: { [group]: 'viewer' } } });
      expect(invited.status).toBe(200);
      const headers = { 'content-type': 'text/csv' };
      const path = `/rest/v3/imports?source=csv&domain=${encodeURIComponent(domain)}`;
      const imported = await api.request('POST', path, { body: 'longUrl\nhttps://example.com/\n', headers });
      expect(imported.status).toBe(200);
      await api.request('DELETE', `/rest/v3/imports/${imported.body['id'] as string}`);
    });
  });

  it('finds what there is', async () => {
    const found = async (path: string) =>
      ((await api.get(path)).body['shortUrls'] as { data: { shortCode: string }[] }).data.map(
        ({ shortCode }) => shortCode,
      );
    await api.create({
      longUrl: 'https://example.com/',
      customSlug: 'alone',
      tags: ['Bug Sale'],
      domain: 'alone.example',
    });
    expect(await found('short-urls?tags[]=Bug%20Sale')).toEqual(['alone']);
    expect(await found('short-urls?domain=Alone.Example.&excludeTags[]=bug%20SALE')).toEqual([]);
    expect(await found('short-urls?domain=DEFAULT&excludeTags[]=%20')).toContain('beside');
    expect((await api.get('short-urls/beside?domain=DEFAULT')).status).toBe(200);
    const shared = await api.create({ longUrl: 'https://example.com/', customSlug: 'named', domain: 'DEFAULT' });
    expect([shared.status, shared.body['domain']]).toEqual([200, null]);
    const body = 'longUrl\nhttps://example.com/\n';
    const headers = { 'content-type': 'text/csv' };
    const imported = await api.request('POST', '/rest/v3/imports?source=csv&domain=DEFAULT', { body, headers });
    expect([imported.status, imported.body['domain']]).toEqual([200, null]);
    await api.request('DELETE', `/rest/v3/imports/${imported.body['id'] as string}`);
  });
});
