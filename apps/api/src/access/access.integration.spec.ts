import { createHash } from 'node:crypto';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { enrichedVisit, openLedger } from '@hopcount/ledger/spec-helpers';
import { linkOf } from '@hopcount/links';
import { Reach } from '@hopcount/runtime';
import { newEventId, type TestTopic, testTopic } from '@hopcount/testing';

import { ApiModule } from '../api.module.js';
import { TestApi } from '../api.spec-helpers.js';
import { findOperations } from '../http/find-operations.js';
import { type Expected, LIKE_KEYS, likeKeys, readAccessMatrix } from './access-matrix.spec-helpers.js';
import { GROUP, type Identity, makeIdentities } from './identity-kinds.spec-helpers.js';
import { PROBES, type Thing } from './probes.spec-helpers.js';
import { makeTaken, stateOfTaken, TAKEN_THINGS, type TakenThing } from './taken-things.spec-helpers.js';

/** Who made a link, and where it is. */
type Kind = 'of the authored key' | 'on the domain' | 'in the group' | 'of somebody else';

const DOMAINS: Record<Kind, [domain: string, homeDomain: string]> = {
  'of the authored key': ['s.test', 's.test'],
  'on the domain': ['d.test', 'd.test'],
  'in the group': ['g.test', 'g.test'],
  // Beside the authored key's links, so that it is not the domain which keeps them apart.
  'of somebody else': ['s.test', 'x.test'],
};
/** What each reaches; who reaches all, or nothing, is asked about any. */
const OWN: Record<string, Kind> = {
  domain: 'on the domain',
  'group owner': 'in the group',
  member: 'in the group',
  viewer: 'in the group',
};
const matrix = readAccessMatrix();
const operations = findOperations(ApiModule);

function casesOf(route: string, kind: string): [whose: string, kind: Kind, expected: Expected][] {
  const cells = matrix.get(route)!;
  const columns = LIKE_KEYS[kind];
  if (columns !== undefined) {
    const isOfUser = operations.some(({ method, path, scope }) => `${method} ${path}` === route && scope === 'user');
    return [['any', 'of somebody else', likeKeys(cells, columns, isOfUser)]];
  }
  const { own, foreign } = cells.get(kind)!;
  return [
    ['own', OWN[kind] ?? 'of the authored key', own],
    ['foreign', 'of somebody else', foreign],
  ];
}

describe('what each kind of key is answered on each route', () => {
  let api: TestApi;
  let counts: TestTopic;
  let identities: Identity[];
  let authored: number;
  let commit: Awaited<ReturnType<typeof openLedger>>;
  let things: Record<Kind, Thing>;
  let importId: string;
  const standing: Partial<Record<TakenThing, string>> = {};
  let made = 0;

  beforeAll(async () => {
    counts = await testTopic({ label: 'counts' });
    // Of a topic that is not there nothing is read: what letters there are, other specs say.
    api = await TestApi.start({ HOST_COUNTS_TOPIC: counts.name, DEAD_LETTER_TOPIC: 'access-spec.no-letters' });
    const { database } = api;
    await database.query(`INSERT INTO domains (authority) VALUES ('d.test'), ('g.test'), ('x.test')`);
    await database.query(`INSERT INTO tags (name) VALUES ('merged')`);
    await database.query(`INSERT INTO groups (id, name) VALUES ('others', 'others'), ('${GROUP}', 'team')`);
    identities = await makeIdentities(api);
    authored = idOf('authored');
    commit = await openLedger(api.resources.database);
    things = {
      'of the authored key': await make('of the authored key'),
      'on the domain': await make('on the domain'),
      'in the group': await make('in the group'),
      'of somebody else': await make('of somebody else'),
    };
    await api.create({ longUrl: 'https://example.com/', customSlug: 'home', domain: 'x.test' });
    const [row] = await database.query<{ id: string }>(
      `INSERT INTO imports (source, name, state) VALUES ('csv', 'x', 'done') RETURNING id`,
    );
    importId = row?.id ?? '';
  });
  afterAll(async () => {
    await api.stop();
    await counts.delete();
  });

  const headersOf = ({ key, cookie }: Identity): Record<string, string> => ({
    ...(key === '' ? {} : { 'x-api-key': key }),
    ...(cookie === undefined ? {} : { cookie, 'sec-fetch-site': 'same-origin' }),
  });

  const idOf = (name: string) => identities.find((identity) => identity.name === name)?.id ?? 0;

  /** With a visit. */
  async function make(kind: Kind, isDeleted = false): Promise<Thing> {
    const nth = (made += 1);
    const [domain, homeDomain] = DOMAINS[kind];
    const thing = { code: `thing-${nth}-`, domain, homeDomain, tag: `tag-${nth}-`, group: `group-${nth}-` };
    if (kind === 'in the group') thing.group = GROUP;
    const keyId = kind === 'of the authored key' ? authored : idOf('admin');
    const reach = Reach.of({ keyId, authoredOnly: false, domain: null, noOrphanVisits: false });
    const { id } = await api.resources.links.createAll(
      reach,
      [
        {
          ...{ longUrl: `https://example.com/${nth}`, customSlug: thing.code, domain, title: null },
          ...{ tags: [thing.tag], groupId: thing.group },
        },
      ],
      ([created]) => Promise.resolve(linkOf(created).link),
    );
    if (isDeleted) await api.database.query('UPDATE links SET deleted_at = now() WHERE id = $1', [id]);
    else if (nth <= 4) await commit([enrichedVisit({ linkId: id })]);
    return thing;
  }

  const ask = async (route: string, identity: Identity, expected: Expected, kind: Kind) => {
    const { ask: probeOf, takes } = PROBES[route] ?? {};
    if (probeOf === undefined) throw new Error(`nobody says how ${route} is asked`);
    // What is refused before the thing is looked at needs none of its own.
    const isLookedAt = expected.status < 300 || expected.status === 404;
    const taken = TAKEN_THINGS.find((one) => one === takes);
    const takesLink = takes !== undefined && taken === undefined;
    const thing = takesLink && isLookedAt ? await make(kind, takes === 'deleted') : things[kind];
    const id = taken === undefined ? '' : await idOfTaken(taken, isLookedAt);
    if (route.endsWith('/visits/orphan')) await addOrphans(api);
    const liveToken = route.endsWith('/live') ? await liveTokenOf(identity) : '';
    const { path, body, headers, method, shows } = probeOf(thing, {
      id,
      userId: idOf('viewer'),
      importId,
      liveToken,
    });
    const state = async () => [await stateOf(thing.code), taken && (await stateOfTaken(taken, id, api.database))];
    const before = expected.status >= 400 ? await state() : undefined;
    const response = await fetch(`${api.url}${path}`, {
      method: method ?? route.split(' ')[0],
      headers: {
        ...headersOf(identity),
        ...(body === undefined || typeof body === 'string' ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    // Who is refused has changed nothing, whatever the answer says.
    if (response.status >= 400 && before !== undefined) expect([path, await state()]).toEqual([path, before]);
    const isShown = response.status < 300 && (shows === undefined || text.includes(shows));
    return { status: response.status, shows: isShown };
  };
  /** Who is to be refused gets one that is there for all of them. */
  const idOfTaken = async (taken: TakenThing, isLookedAt: boolean) =>
    isLookedAt ? makeTaken(taken, api.database) : (standing[taken] ??= await makeTaken(taken, api.database));
  const stateOf = (code: string) =>
    api.database.query(
      `SELECT links::text AS link, array(SELECT tag_id FROM link_tags WHERE link_id = links.id ORDER BY 1) AS tags,
         (SELECT count(*) FROM visits WHERE link_id = links.id) AS visits FROM links WHERE code = $1 ORDER BY id`,
      [code],
    );
  const liveTokenOf = async (identity: Identity) => {
    const { key, cookie } = identity;
    const { body, status } = await api.get('mercure-info', { 'x-api-key': '', ...headersOf(identity) });
    if (status === 200) return body['token'] as string;
    // Of a key that was refused since; one without the scope gets none.
    if (status !== 401 || (key === '' && cookie === undefined)) return 'none';
    const kind = cookie === undefined ? 'key' : 'user';
    return api.resources.liveTokens.issue({ kind, hash: hashOf(cookie?.split('=')[1] ?? key) }).token;
  };

  it('S23: is in the table for every route there is, and for no other', () => {
    const routes = operations.map(({ method, path }) => `${method} ${path}`);
    expect([...matrix.keys()].sort()).toEqual(routes.sort());
    expect(Object.keys(PROBES).sort()).toEqual(routes.sort());
  });

  it.each([...matrix.keys()])('%s', async (route) => {
    const found: unknown[] = [];
    const wanted: unknown[] = [];
    for (const identity of identities) {
      for (const [whose, kind, expected] of casesOf(route, identity.kind)) {
        wanted.push([identity.name, whose, expected]);
        found.push([identity.name, whose, await ask(route, identity, expected, kind)]);
      }
    }
    expect(found).toEqual(wanted);
  });

  it('left rows in the audit log by each operation that changed something', async () => {
    const rows = await api.database.query<{ operation: string }>(
      `SELECT DISTINCT actor ->> 'operation' AS operation FROM audit_log WHERE actor ->> 'id' IS NOT NULL`,
    );
    const changing = operations.filter(({ id, method, scope }) => {
      // They draw, say what would be, post something that is in no table of the administration, or count.
      if (
        [
          'getQrCodeWithLogo',
          'tryRedirectRules',
          'testWebhook',
          'testAlert',
          'resendWebhookEvent',
          'feedHosts',
        ].includes(id)
      )
        return false;
      // Of those of users only this one leaves its row whatever it is asked with here.
      if (id === 'createShareLink') return true;
      return id === 'shorten' || (method !== 'GET' && !['public', 'user'].includes(scope));
    });
    expect(rows.map(({ operation }) => operation).sort()).toEqual(changing.map(({ id }) => id).sort());
  });

  it.each(['no orphans', 'group owner'])('deletes no orphan visits for %s, who sees none', async (name) => {
    await addOrphans(api);
    const orphans = () => api.database.query('SELECT it::text FROM orphan_visits AS it ORDER BY event_id');
    const before = await orphans();
    const identity = identities.find((one) => one.name === name)!;
    const headers = { 'x-api-key': '', ...headersOf(identity) };
    const { status, body } = await api.request('DELETE', '/rest/v3/visits/orphan', { headers });
    expect([status, body]).toEqual([200, { deletedVisits: 0 }]);
    expect(before.length).toBeGreaterThan(0);
    expect(await orphans()).toEqual(before);
  });

  it('has sums of what is reached in all statistics', async () => {
    const key = (name: string) => ({ 'x-api-key': identities.find((identity) => identity.name === name)?.key ?? '' });
    const total = async (name: string, query = '') => {
      const { status, body } = await api.get(`statistics/totals?uniques=all${query}`, key(name));
      return status === 200 ? (body['totals'] as { visits: number; visitors: number }).visits : status;
    };
    expect([await total('authored'), await total('domain'), await total('admin')]).toEqual([1, 1, 4]);
    expect([await total('authored', '&domain=s.test'), await total('authored', '&filter[]=country!=XX')]).toEqual([
      1, 1,
    ]);
    expect([await total('domain', '&domain=d.test'), await total('domain', '&domain=DEFAULT')]).toEqual([1, 0]);
    const { group } = things['of the authored key'];
    expect([await total('admin', `&group=${group}`), await total('authored', `&group=${group}`)]).toEqual([1, 403]);
    expect(await total('authored', '&group=missing')).toBe(403);
  });

  it('lets no key of some links only begin a domain, whose host would lose all other links', async () => {
    const headers = { 'x-api-key': identities.find(({ name }) => name === 'authored')?.key ?? '' };
    const create = async (domain: string) => {
      const body = { longUrl: 'https://example.com/', domain };
      const { status, body: answer } = await api.request('POST', '/rest/v3/short-urls', { headers, body });
      return status === 200 ? status : [status, answer['type']];
    };
    expect(await create('www.s.test')).toEqual([403, 'urn:hopcount:problem:beyond-role']);
    expect([await create('d.test'), await create('s.test')]).toEqual([200, 200]);
    const batch = await api.request('POST', '/rest/v3/short-urls/batch', {
      headers,
      body: {
        shortUrls: [{ longUrl: 'https://example.com/', domain: 'www.s.test' }, { longUrl: 'https://example.com/' }],
      },
    });
    expect(batch.status).toBe(200);
    expect(JSON.stringify(batch.body)).toContain('beyond-role');
    expect(await api.database.query(`SELECT FROM domains WHERE authority = 'www.s.test'`)).toEqual([]);
  });

  it('has no orphan visits of other domains for a key of one', async () => {
    await addOrphans(api);
    const headers = { 'x-api-key': identities.find(({ name }) => name === 'domain')?.key ?? '' };
    const domainsOf = async (query: string) => {
      const { body } = await api.get(`visits/orphan${query}`, headers);
      const { data } = (body as { visits: { data: { visitedUrl: string }[] } }).visits;
      return [...new Set(data.map(({ visitedUrl }) => new URL(visitedUrl).host))];
    };
    expect(await domainsOf('')).toEqual(['d.test']);
    expect([
      await domainsOf('?domain=d.test'),
      await domainsOf('?domain=x.test'),
      await domainsOf('?domain=DEFAULT'),
    ]).toEqual([['d.test'], [], []]);
  });

  it('S10, S23: is the same of what is not reached and what is not there', async () => {
    const { code, tag, group } = things['of somebody else'];
    const key = identities.find(({ name }) => name === 'authored')?.key ?? '';
    const answer = async (method: string, path: string, body?: unknown) => {
      const { status, body: problem } = await api.request(method, `/rest/v3/${path}`, {
        headers: { 'x-api-key': key },
        ...(body === undefined ? {} : { body }),
      });
      expect([path, status]).toEqual([path, 404]);
      delete problem['instance'];
      return JSON.stringify(problem);
    };
    const cases: [method: string, path: (name: string) => string, name: string, body?: (name: string) => unknown][] = [
      ...['', '/visits', '/stats', '/qr-code', '/redirect-rules'].map(
        (more): [string, (name: string) => string, string] => ['GET', (name) => `short-urls/${name}${more}`, code],
      ),
      ['DELETE', (name) => `short-urls/${name}`, code],
      ['PATCH', (name) => `short-urls/${name}`, code, () => ({ title: 'x' })],
      ['POST', (name) => `deleted-short-urls/${name}/restore`, code],
      ['GET', (name) => `exports/visits?shortCode=${name}`, code],
      ['GET', (name) => `tags/${name}/visits`, tag],
      ['GET', (name) => `domains/${name}/visits`, 'x.test'],
      ['GET', (name) => `imports/${name}`, importId],
      [
        'POST',
        () => 'short-urls/move',
        group,
        (name) => ({ groupId: name, shortUrls: [{ shortCode: things['of the authored key'].code }] }),
      ],
    ];
    for (const [method, path, name, body] of cases) {
      const missing = /^\d+$/.test(name) ? '987654' : 'missing';
      const foreign = await answer(method, path(name), body?.(name));
      expect(foreign.replaceAll(name, missing)).toBe(await answer(method, path(missing), body?.(missing)));
    }
  });
});

const hashOf = (key: string) => createHash('sha256').update(key).digest();

/** One of each domain that is asked for. */
async function addOrphans(api: TestApi): Promise<void> {
  for (const domain of ['s.test', 'd.test', 'x.test']) {
    await api.database.query(
      `INSERT INTO orphan_visits (occurred_at, event_id, type, class, enrichment_version, domain, path, country, region,
         city, source)
       VALUES (now(), $1, 0, 0, 1, $2, '/', 'unknown', 'unknown', 'unknown', 'gw')`,
      [newEventId(Date.now()), domain],
    );
  }
}
