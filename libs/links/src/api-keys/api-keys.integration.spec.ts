import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { API_SCOPES } from '@hopcount/contracts';
import { Database } from '@hopcount/postgres';
import { createLogger } from '@hopcount/runtime';
import { testDatabase, type TestDatabase, waitUntil } from '@hopcount/testing';

import { ApiKeys } from './api-keys.js';

const logger = createLogger({ name: 'test', level: 'silent' });
let given: TestDatabase;
let database: Database;

beforeAll(async () => {
  given = await testDatabase();
  database = await Database.connect({ url: given.url, applicationName: 'test' });
});
afterAll(async () => {
  await database.close();
  await given.drop();
});

describe('API keys', () => {
  it('are found by the whole key and never stored', async () => {
    const keys = new ApiKeys(database, { logger });
    const { id, key } = await keys.create('laptop');
    expect(await keys.verify(key)).toEqual({ id, name: 'laptop', scopes: API_SCOPES });
    const other = await new ApiKeys(database, { logger }).create('other');
    expect((await keys.verify(other.key))?.id).toBe(other.id);
    expect(JSON.stringify(await given.query('SELECT * FROM api_keys'))).not.toContain(key.slice(8));
  });

  it('are refused when unknown, expired or disabled', async () => {
    const keys = new ApiKeys(database, { logger, cacheTtlMs: 1 });
    const expired = await keys.create('expired', new Date(Date.now() - 1_000));
    expect(await keys.verify(expired.key)).toBeUndefined();
    const disabled = await keys.create('disabled');
    expect(await keys.verify(disabled.key)).toBeDefined();
    await given.query('UPDATE api_keys SET enabled = false WHERE id = $1', [disabled.id]);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(await keys.verify(disabled.key)).toBeUndefined();
    await given.query('DELETE FROM api_keys WHERE id = $1', [expired.id]);
    expect(await keys.verify(expired.key)).toBeUndefined();
    expect(await keys.verify('no key')).toBeUndefined();
  });

  it('are asked for once per five seconds, and a revocation is seen after that', async () => {
    const keys = new ApiKeys(database, { logger, cacheTtlMs: 300 });
    const { id, key } = await keys.create('cached');
    await keys.verify(key);
    await given.query('UPDATE api_keys SET enabled = false WHERE id = $1', [id]);
    expect(await keys.verify(key)).toBeDefined();
    await waitUntil(async () => (await keys.verify(key)) === undefined, {
      timeoutMs: 2_000,
      describe: 'the key to be checked or written again',
    });
  });

  it('remember their last use, written at most once a minute', async () => {
    const keys = new ApiKeys(database, { logger });
    const { id, key } = await keys.create('used');
    const lastUse = async () =>
      (await given.query<{ last_used_at: Date | null }>('SELECT last_used_at FROM api_keys WHERE id = $1', [id]))[0]
        ?.last_used_at;
    await keys.verify(key);
    await waitUntil(async () => (await lastUse()) instanceof Date, {
      timeoutMs: 2_000,
      describe: 'the key to be checked or written again',
    });
    const first = await lastUse();
    await new ApiKeys(database, { logger }).verify(key);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(await lastUse()).toEqual(first);
    await given.query("UPDATE api_keys SET last_used_at = now() - interval '2 minutes' WHERE id = $1", [id]);
    await new ApiKeys(database, { logger }).verify(key);
    await waitUntil(async () => ((await lastUse())?.getTime() ?? 0) >= (first as Date).getTime(), {
      timeoutMs: 2_000,
      describe: 'the key to be checked or written again',
    });
  });
});
