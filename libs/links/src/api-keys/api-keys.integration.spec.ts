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
    await waitUntil(async () => (await keys.verify(disabled.key)) === undefined, { describe: 'the key is refused' });
    await given.query('DELETE FROM api_keys WHERE id = $1', [expired.id]);
    expect(await keys.verify(expired.key)).toBeUndefined();
    expect(await keys.verify('no key')).toBeUndefined();
  });

  it('are looked up once for as long as the answer is kept, and again after that', async () => {
    const keys = new ApiKeys(database, { logger, cacheTtlMs: 600_000 });
    const impatient = new ApiKeys(database, { logger, cacheTtlMs: 1 });
    const { id, key } = await keys.create('cached');
    expect([await keys.verify(key), await impatient.verify(key)]).not.toContain(undefined);
    await given.query('UPDATE api_keys SET enabled = false WHERE id = $1', [id]);
    await waitUntil(async () => (await impatient.verify(key)) === undefined, { describe: 'the revocation is seen' });
    expect(await keys.verify(key)).toBeDefined();
  });

  it('remember their last use, written at most once a minute', async () => {
    // One connection: what is asked after a write that nobody waits for is answered after it.
    const single = await Database.connect({ url: given.url, applicationName: 'test', poolSize: 1 });
    const { id, key } = await new ApiKeys(single, { logger }).create('used');
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
