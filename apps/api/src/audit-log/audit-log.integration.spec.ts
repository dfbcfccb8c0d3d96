import { AUDIT_KINDS, type AuditEntry, auditLogSchema } from '@hopcount/contracts';
import { AuditLog } from '@hopcount/identities';
import type { Queryable } from '@hopcount/postgres';
import { waitUntil } from '@hopcount/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { TestApi } from '../api.spec-helpers.js';

const TARGET = 'https://example.com/';

describe('the audit log', () => {
  let api: TestApi;

  beforeAll(async () => {
    api = await TestApi.start({ TRUSTED_PROXIES: '127.0.0.1/32' });
  });
  afterAll(() => api.stop());

  const list = async (query = '') => {
    const { status, body } = await api.get(`audit-log${query}`);
    expect(status).toBe(200);
    return auditLogSchema.parse(body).auditLog;
  };
  const of = async (object: string) => {
    const { data } = await list(`?object=${encodeURIComponent(object)}`);
    return data.map(({ kind, action, before, after }) => ({ kind, action, before, after })).reverse();
  };
  const send = async (method: string, path: string, body?: unknown, headers?: Record<string, string>) => {
    const answer = await api.request(method, `/rest/v3/${path}`, { body, headers });
    expect([path, answer.status]).toEqual([path, expect.any(Number)]);
    return answer;
  };

  const exportedLines = async (query: string) => {
    const url = `${api.url}/rest/v3/exports/audit-log?format=jsonl${query}`;
    const answer = await fetch(url, { headers: { 'x-api-key': api.apiKey } });
    expect(answer.status).toBe(200);
    return (await answer.text()).trim().split('\n');
  };

  it('says of each change of a link who made it, from where, and what was before and after', async () => {
    const link = { longUrl: TARGET, customSlug: 'life', tags: ['a', 'b'], title: 'One', maxVisits: 5 };
    const headers = { 'x-forwarded-for': '203.0.113.9', 'x-request-id': 'request-1' };
    await send('POST', 'short-urls', link, headers);
    await send('PATCH', 'short-urls/life', { title: 'Two', maxVisits: null, tags: ['a', 'c'] });
    await send('PATCH', 'short-urls/life', { title: 'Two' });
    await send('DELETE', 'short-urls/life/visits');
    await send('DELETE', 'short-urls/life');
    await send('POST', 'deleted-short-urls/life/restore');
    await send('DELETE', 'short-urls/life');
    await send('DELETE', 'deleted-short-urls/life');
    const rows = await of('s.test/life');
    expect(rows.map(({ action }) => action)).toEqual([
      ...['create', 'tag', 'edit', 'untag', 'tag', 'purge-visits', 'delete', 'restore', 'delete', 'purge', 'untag'],
    ]);
    expect(rows[0]).toMatchObject({ before: null, after: { longUrl: TARGET, title: 'One', maxVisits: 5 } });
    expect(rows[2]).toMatchObject({ before: { title: 'One', maxVisits: 5 }, after: { title: 'Two', maxVisits: null } });
    expect([rows[1]?.after, rows[3]?.before, rows[4]?.after]).toEqual([
      ...[{ tags: ['a', 'b'] }, { tags: ['a', 'b'] }, { tags: ['a', 'c'] }],
    ]);
    // What was purged for good is not kept once more.
    expect(Object.keys(rows[9]?.before ?? {})).toEqual(['purgedAt']);
    const [created] = (await list('?object=s.test/life')).data.slice(-1);
    const [key] = await api.database.query<{ id: number; name: string }>('SELECT id, name FROM api_keys');
    expect(created?.actor).toEqual({
      ...{ kind: 'api-key', id: String(key?.id), name: key?.name, address: '203.0.113.9' },
      ...{ operation: 'createShortUrl', requestId: 'request-1' },
    });
    expect(Date.now() - Date.parse(created?.date ?? '')).toBeLessThan(60_000);
  });

  it('has no row of what was refused or done once already, and one of each link of a batch', async () => {
    const rowsSince = async (work: () => Promise<unknown>) => {
      const [start] = await api.database.query<{ id: string }>('SELECT coalesce(max(id), 0) AS id FROM audit_log');
      await work();
      const rows = await api.database.query<{ object: string }>(
        'SELECT object FROM audit_log WHERE id > $1 ORDER BY id',
        [start?.id],
      );
      return rows.map(({ object }) => object);
    };
    await send('POST', 'short-urls', { longUrl: TARGET, customSlug: 'held' });
    const none = await rowsSince(async () => {
      await send('PATCH', 'short-urls/held', { title: 'x' }, { 'if-match': '"77"' });
      await send('PATCH', 'short-urls/held', { title: 'x', groupId: 'none' });
      await send('POST', 'short-urls', { longUrl: TARGET, customSlug: 'held' });
      await send('POST', 'short-urls', { longUrl: TARGET, findIfExists: true });
      await send('GET', 'short-urls/held');
    });
    expect(none).toEqual([]);
    const once = { 'idempotency-key': 'once' };
    const batch = {
      shortUrls: [1, 2, 3].map((nth) => ({ longUrl: TARGET, customSlug: nth === 2 ? 'held' : `b${nth}` })),
    };
    const some = await rowsSince(async () => {
      await send('POST', 'short-urls/batch', batch, once);
      await send('POST', 'short-urls/batch', batch, once);
    });
    expect(some).toEqual(['s.test/b1', 's.test/b3']);
  });

  it('never has a secret, also where one is replaced', async () => {
    const { body } = await send('POST', 'api-keys', { name: 'held', scopes: ['links:read'] });
    await send('POST', `api-keys/${String(body['id'])}/rotate`, { graceSeconds: 60 });
    await send('PATCH', `api-keys/${String(body['id'])}`, { enabled: false });
    await send('DELETE', `api-keys/${String(body['id'])}`);
    const rows = await of('held');
    expect(rows.map(({ action }) => action)).toEqual(['create', 'edit', 'edit', 'revoke']);
    expect([rows[0]?.after?.['keyHash'], rows[1]?.before?.['keyHash']]).toEqual(['(secret)', '(secret)']);
    const [hashes] = await api.database.query<{ leaked: boolean }>(
      `SELECT bool_or(strpos(audit_log::text, encode(hash, 'hex')) > 0) AS leaked
       FROM audit_log, (SELECT key_hash AS hash FROM api_keys UNION ALL SELECT previous_hash FROM api_keys) AS hashes`,
    );
    expect(hashes).toEqual({ leaked: false });
  });

  it('names users, and says who made whom what', async () => {
    const invite = await send('POST', 'users/invites', { role: 'owner' });
    const token = invite.body['token'];
    const account = { token, email: 'ada@x.test', name: 'Ada', password: 'correct horse battery staple' };
    const accepted = await send('POST', 'users/accept', account, { 'x-api-key': '' });
    const cookie = accepted.headers.get('set-cookie')?.split(';')[0] ?? '';
    const asAda = { 'x-api-key': '', cookie, 'sec-fetch-site': 'same-origin' };
    await send('POST', 'short-urls', { longUrl: TARGET, customSlug: 'adas' }, asAda);
    const password = { password: account.password, newPassword: 'another correct horse battery' };
    await send('PUT', 'session/password', password, asAda);
    const { data } = await list('?actor=Ada&actorKind=user');
    expect(data.map(({ action, object }) => [action, object])).toEqual([
      ...[
        ['edit', 'ada@x.test'],
        ['create', 's.test/adas'],
      ],
    ]);
    expect(data[0]).toMatchObject({ before: { passwordHash: '(secret)' }, after: { passwordHash: '(secret)' } });
    const made = (await list('?object=ada@x.test')).data.at(-1);
    expect(made).toMatchObject({
      actor: { name: '(not signed in)', operation: 'acceptInvite' },
      after: { role: 'owner' },
    });
    expect((await list('?kind=invite')).data.map(({ action }) => action)).toEqual(['delete', 'create']);
    expect(JSON.stringify((await list('?itemsPerPage=0')).data)).not.toMatch(/argon2|\$m=/);
  });

  it('has a kind for each table that is in it, and cuts what is long', async () => {
    const kinds = await api.database.query<{ kind: string }>(
      `SELECT DISTINCT split_part(encode(tgargs, 'escape'), '\\000', 1) AS kind FROM pg_trigger
       WHERE tgfoid = 'audit_changes'::regproc`,
    );
    expect(kinds.map(({ kind }) => kind).sort()).toEqual([...AUDIT_KINDS].sort());
    const rules = Array.from({ length: 100 }, (_, nth) => ({
      longUrl: `https://example.com/${'x'.repeat(200)}${nth}`,
      conditions: [{ type: 'language', matchValue: 'de' }],
    }));
    await send('POST', 'short-urls/held/redirect-rules', { redirectRules: rules.slice(0, 20) });
    const [row] = (await of('s.test/held')).slice(-1);
    expect(row).toMatchObject({
      action: 'edit',
      before: { redirectRules: null },
      after: { redirectRules: expect.any(String) },
    });
    expect(JSON.stringify(row).length).toBeLessThan(10_000);
  });

  it('is listed page by page, filtered, and exported whole, while rows are added', async () => {
    const ids: string[] = [];
    for (let after = ''; ;) {
      const { data, next } = await list(`?itemsPerPage=3${after}`);
      ids.push(...data.map(({ id }) => id));
      await send('PUT', 'tags', {
        oldName: ids.length % 2 === 0 ? 'c' : 'd',
        newName: ids.length % 2 === 0 ? 'd' : 'c',
      });
      if (next === null) break;
      after = `&after=${next}`;
    }
    const before = new Date(Number(ids[0]?.split('-')[0])).toISOString();
    // What is younger than a second is for the next export.
    const { data: newest } = await list('?itemsPerPage=1');
    await waitUntil(async () => (await exportedLines('')).some((line) => line.includes(`"${newest[0]?.id}"`)), {
      describe: 'the last entry in the export',
    });
    const lines = await exportedLines(`&endDate=${before}`);
    const exported = lines.map((line) => JSON.parse(line) as AuditEntry);
    const known = new Set(ids);
    expect(exported.map(({ id }) => id).filter((id) => known.has(id))).toEqual([...ids].reverse());
    expect(await list(`?after=${ids[4]}&itemsPerPage=2`)).toMatchObject({ data: [{ id: ids[5] }, { id: ids[6] }] });
    expect(await exportedLines(`&after=${exported[2]?.id}&endDate=${before}`)).toEqual(lines.slice(3));

    const csv = ((await api.get(`exports/audit-log?kind=api-key&object=held`)).body as { text: string }).text.split(
      '\n',
    );
    expect(csv[0]).toBe(
      'id,date,actorKind,actorId,actorName,address,operation,requestId,kind,action,object,objects,before,after',
    );
    expect(csv).toHaveLength(6);
    expect((await list('?actorKind=system&kind=domain')).data).toMatchObject([
      { actor: { kind: 'system', name: 'hopcount-api', address: null }, action: 'create', object: 's.test' },
    ]);
    expect((await list('?actor=nobody')).data).toEqual([]);
    expect((await list('?startDate=2000-01-01&endDate=2000-01-02')).data).toEqual([]);
  });

  it('is exported on behind the last entry without one that a slow transaction adds before it', async () => {
    const create = (tx: Pick<Queryable, 'query'>, name: string) =>
      tx.query('INSERT INTO groups (id, name) VALUES ($1, $1)', [name]);
    const objects = (lines: string[]) =>
      lines.filter((line) => line !== '').map((line) => JSON.parse(line) as AuditEntry);
    const id = (await list('?itemsPerPage=1')).data[0]?.id;
    await api.resources.database.transaction(async (slow) => {
      await create(slow, 'slow');
      await create(api.database, 'quick');
      const isSettled = async () => {
        const [row] = await api.database.query<{ settled: boolean }>(
          `SELECT now() > at + interval '1100 milliseconds' AS settled FROM audit_log WHERE object = 'quick'`,
        );
        return row?.settled;
      };
      await waitUntil(isSettled, { describe: 'the age at which it would be exported' });
      expect(objects(await exportedLines(`&after=${id}`))).toEqual([]);
    });
    const rest = async () => objects(await exportedLines(`&after=${id}`)).map(({ object }) => object);
    await waitUntil(async () => (await rest()).length > 0, { describe: 'the next export' });
    expect(await rest()).toEqual(['slow', 'quick']);
  });

  it.each(['kind=links', 'actorKind=key', 'after=x', 'after=1-', 'startDate=x', 'page=2', 'itemsPerPage=x'])(
    'refuses ?%s',
    async (query) => {
      expect((await api.get(`audit-log?${query}`)).status).toBe(400);
      expect((await api.get(`exports/audit-log?${query}`)).status).toBe(400);
    },
  );

  it('ends by age', async () => {
    await api.database.query(`UPDATE audit_log SET at = now() - interval '2 days' WHERE object = 's.test/life'`);
    const log = new AuditLog(api.resources.database);
    expect(await log.expire({ beforeMs: Date.now() - 86_400_000, maxRows: 1_000_000 })).toEqual({
      old: 11,
      surplus: 0,
    });
    expect(await of('s.test/life')).toEqual([]);
    expect((await of('held')).length).toBe(4);
  });
});
