import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { API_SCOPES } from '@hopcount/contracts';
import { Database } from '@hopcount/postgres';
import { createLogger, Reach } from '@hopcount/runtime';
import { testApiKey, testDatabase, type TestDatabase, waitUntil } from '@hopcount/testing';

import { ApiKeys } from './api-keys.js';
import { ApiKeyRegistry } from './key-registry.js';

const logger = createLogger({ name: 'test', level: 'silent' });
let given: TestDatabase;
let database: Database;
let registry: ApiKeyRegistry;

beforeAll(async () => {
  given = await testDatabase();
  database = await Database.connect({ url: given.url, applicationName: 'test' });
  registry = new ApiKeyRegistry(database);
  await given.query(`INSERT INTO domains (authority, is_default) VALUES ('s.test:8080', true)`);
});
afterAll(async () => {
  await database.close();
  await given.drop();
});

const page = { offset: 0, limit: 100 };
/** As another process, which never asked before, would find it. */
const verify = (key: string) => new ApiKeys(database, { logger }).verify(key);

describe('API keys', () => {
  it('are found by the whole key and never stored', async () => {
    const keys = new ApiKeys(database, { logger });
    const { id, key } = await registry.create({ name: 'laptop' });
    expect(await keys.verify(key)).toMatchObject({ id, name: 'laptop', scopes: ['admin'] });
    const other = await registry.create({ name: 'other' });
    expect((await keys.verify(other.key))?.id).toBe(other.id);
    expect(JSON.stringify(await given.query('SELECT * FROM api_keys'))).not.toContain(key.slice(12));
    // Written as the README says, by others.
    expect((await keys.verify((await testApiKey(given)).key))?.scopes).toEqual(['admin']);
  });

  it('are refused when unknown, expired, disabled or revoked', async () => {
    const keys = new ApiKeys(database, { logger, cacheTtlMs: 1 });
    const expired = await testApiKey(given, { expiresAt: new Date(Date.now() - 1_000) });
    expect(await keys.verify(expired.key)).toBeUndefined();
    const { id, key } = await registry.create({ name: 'disabled' });
    await registry.enable(id, false);
    expect(await verify(key)).toBeUndefined();
    await registry.enable(id, true);
    expect(await verify(key)).toBeDefined();
    await registry.revoke(id);
    expect(await verify(key)).toBeUndefined();
    for (const change of [() => registry.enable(id, true), () => registry.rotate(id, 0), () => registry.revoke(id)]) {
      await expect(change()).rejects.toMatchObject({ code: 'api-key-not-found' });
    }
    await given.query('DELETE FROM api_keys WHERE id = $1', [expired.id]);
    expect(await keys.verify(expired.key)).toBeUndefined();
    expect(await keys.verify('no key')).toBeUndefined();
  });

  it('are looked up once for as long as the answer is kept, and again after that', async () => {
    const keys = new ApiKeys(database, { logger, cacheTtlMs: 600_000 });
    const impatient = new ApiKeys(database, { logger, cacheTtlMs: 1 });
    const { id, key } = await registry.create({ name: 'cached' });
    expect([await keys.verify(key), await impatient.verify(key)]).not.toContain(undefined);
    await registry.revoke(id);
    await waitUntil(async () => (await impatient.verify(key)) === undefined, { describe: 'the revocation is seen' });
    expect(await keys.verify(key)).toBeDefined();
    // The process that changed it does not wait.
    keys.forget();
    expect(await keys.verify(key)).toBeUndefined();
  });

  it('are refused from the moment they expire, though the answer was kept', async () => {
    const keys = new ApiKeys(database, { logger, cacheTtlMs: 600_000 });
    const { key } = await testApiKey(given, { expiresAt: new Date(Date.now() + 700) });
    expect(await keys.verify(key)).toBeDefined();
    await waitUntil(async () => (await keys.verify(key)) === undefined, { describe: 'the key has expired' });
  });

  it('get another secret, and the one before works for as long as was said', async () => {
    const { id, key: first } = await registry.create({ name: 'rotated', scopes: ['links:read'] });
    const { key: second, previousUntil } = await registry.rotate(id, 3_600);
    expect((previousUntil?.getTime() ?? 0) - Date.now()).toBeGreaterThan(3_000_000);
    for (const key of [first, second]) expect(await verify(key)).toMatchObject({ id, scopes: ['links:read'] });
    const { key: third } = await registry.rotate(id, 3_600);
    expect([await verify(first), (await verify(second))?.id, (await verify(third))?.id]).toEqual([undefined, id, id]);
    await given.query(`UPDATE api_keys SET previous_until = now() WHERE id = $1`, [id]);
    expect(await verify(second)).toBeUndefined();
    const { key: fourth } = await registry.rotate(id, 0);
    expect([await verify(third), (await verify(fourth))?.id]).toEqual([undefined, id]);
    await expect(registry.rotate(id, 1e9)).rejects.toMatchObject({ details: { invalidElements: ['graceSeconds'] } });
  });

  it('have what they may do, and a role says what they reach', async () => {
    const { key, ...record } = await registry.create({ name: 'partner', domain: 'GO.test', authoredOnly: true });
    expect(record).toMatchObject({ state: 'active', domain: 'go.test', authoredOnly: true, prefix: key.slice(0, 12) });
    expect(record.scopes).toEqual(API_SCOPES.filter((scope) => scope !== 'admin'));
    const [domain] = await given.query<{ id: number }>(`SELECT id FROM domains WHERE authority = 'go.test'`);
    const identity = await verify(key);
    expect([identity?.reach.values, identity?.reach.hasOrphans]).toEqual([[record.id, domain?.id, null], true]);
    const without = await registry.create({ name: 'without', noOrphanVisits: true, scopes: ['statistics:read'] });
    expect((await verify(without.key))?.reach).toMatchObject({ isWhole: true, hasOrphans: false });
    const home = await registry.create({ name: 'home', domain: 'DEFAULT' });
    expect(home.domain).toBe('s.test:8080');
    expect((await verify((await registry.create({ name: 'all' })).key))?.reach).toEqual(
      Reach.of({ keyId: expect.any(Number) as never, authoredOnly: false, domain: null, noOrphanVisits: false }),
    );
  });

  it('have one name each, and are listed by it with what became of them', async () => {
    await given.query('DELETE FROM api_keys');
    const revoked = await registry.create({ name: ' b ' });
    await registry.create({ name: 'a', expiresAt: new Date(Date.now() + 60_000) });
    await registry.create({ name: 'c' });
    await registry.enable((await registry.named('c')).id, false);
    await registry.revoke(revoked.id);
    await expect(registry.create({ name: 'b' })).rejects.toMatchObject({ code: 'api-key-conflict' });
    const { keys, totalItems } = await registry.list(page);
    expect(keys.map(({ name, state }) => [name, state])).toEqual([
      ...[
        ['a', 'active'],
        ['b', 'revoked'],
        ['c', 'disabled'],
      ],
    ]);
    expect(totalItems).toBe(3);
    await expect(registry.named('d')).rejects.toMatchObject({ code: 'api-key-not-found' });
  });

  it.each([
    ['a blank name', { name: ' ' }, 'name'],
    ['a name of controls', { name: 'a\u0000' }, 'name'],
    ['an end that is past', { name: 'x', expiresAt: new Date(0) }, 'expirationDate'],
    ['no scope', { name: 'x', scopes: [] }, 'scopes'],
    ['a role and everything', { name: 'x', scopes: ['admin'], authoredOnly: true } as const, 'scopes'],
    ['a domain that is none', { name: 'x', domain: 'no domain' }, 'domain'],
  ])('are not made with %s', async (_, wanted, field) => {
    await expect(registry.create(wanted)).rejects.toMatchObject({
      code: 'invalid-data',
      details: { invalidElements: [field] },
    });
  });

  it('remember their last use, written at most once a minute', async () => {
    // One connection: what is asked after a write that nobody waits for is answered after it.
    const single = await Database.connect({ url: given.url, applicationName: 'test', poolSize: 1 });
    const { id, key } = await testApiKey(given);
    const lastUseAfterVerify = async () => {
      await new ApiKeys(single, { logger }).verify(key);
      const [row] = await single.query<{ age: number | null }>(
        'SELECT extract(epoch FROM now() - last_used_at)::float8 AS age FROM api_keys WHERE id = $1',
        [id],
      );
      return row?.age;
    };
    const setAge = (age: string) =>
      single.query('UPDATE api_keys SET last_used_at = now() - $2::interval WHERE id = $1', [id, age]);
    expect(await lastUseAfterVerify()).toEqual(expect.any(Number));
    await setAge('40 seconds');
    expect(await lastUseAfterVerify()).toBeGreaterThanOrEqual(40);
    await setAge('1 day');
    expect(await lastUseAfterVerify()).toBeLessThan(86_400);
    await single.close();
  });
});
