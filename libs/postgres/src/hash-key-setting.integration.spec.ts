import { KeyPeriods, keyRotations } from '@hopcount/runtime';
import { type TestDatabase, testDatabase } from '@hopcount/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import { Database } from './database.js';
import { hashKeyHealth, hashKeyMismatch, keepHashKeys } from './hash-key-setting.js';

const DAY_MS = 86_400_000;
const dayAt = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10);
const keysOf = (rotations: string, hashing = 'a secret for tests that is long enough') => ({
  hashing,
  keyPeriods: new KeyPeriods(keyRotations.parse(rotations)),
});

describe('what hashes of people are made with', () => {
  let server: TestDatabase;
  let database: Database;
  beforeAll(async () => {
    server = await testDatabase();
    database = await Database.connect({ url: server.url, applicationName: 'keys-spec', poolSize: 2 });
  });
  afterAll(async () => {
    await database.close();
    await server.drop();
  });
  beforeEach(async () => {
    await server.query('TRUNCATE scope_traffic');
    await server.query("UPDATE hash_key_setting SET fingerprint = NULL, rotations = ''");
  });

  const countAt = (days: number) =>
    server.query(
      `INSERT INTO scope_traffic (scope, scope_id, bucket, class, slot_id, visits, checksum) VALUES ('all', '', $1, 0, 0, 1, 1)`,
      [dayAt(days)],
    );
  const refused = (rotations: string, hashing?: string) =>
    expect(keepHashKeys(database, keysOf(rotations, hashing))).rejects.toMatchObject({ code: 'invalid-config' });

  it('is taken from the first consumer; rotations of days to come may change, those that began may not', async () => {
    await countAt(-30);
    expect(await hashKeyMismatch(database, keysOf('2021-01-01'))).toBeUndefined();
    await keepHashKeys(database, keysOf(`${dayAt(-10)}/7`));
    await keepHashKeys(database, keysOf(`${dayAt(-10)}/7,${dayAt(20)}/30`));
    await countAt(-1);
    await keepHashKeys(database, keysOf(`${dayAt(-10)}/7,${dayAt(1)}`));
    for (const other of ['', `${dayAt(-10)}`, `${dayAt(-11)}/7`, `${dayAt(-10)}/7,${dayAt(-2)}`]) await refused(other);
    const found = await hashKeyMismatch(database, keysOf(`${dayAt(-10)}/7,${dayAt(-2)}`));
    expect(found).toContain(`('${dayAt(-10)}/7,${dayAt(1)}'): it differs since ${dayAt(-2)}`);
    expect(await hashKeyHealth(database, keysOf(`${dayAt(-10)}/7`))).toEqual({ status: 'pass' });
    expect(await hashKeyHealth(database, keysOf(''))).toMatchObject({ status: 'warn' });
  });

  it('may be set to a day that has passed as long as no visit since then is counted', async () => {
    await countAt(-3);
    await refused(dayAt(-4));
    await keepHashKeys(database, keysOf(dayAt(-2)));
    await countAt(-1);
    await refused('');
    await server.query('DELETE FROM hash_key_setting');
    expect(await hashKeyMismatch(database, keysOf(''))).toBeUndefined();
    await keepHashKeys(database, keysOf(dayAt(-4)));
    await refused('');
  });

  it('is one secret for ever, which nobody reads from it', async () => {
    await keepHashKeys(database, keysOf(''));
    const other = 'another secret that is as long as it has to be';
    expect(await hashKeyMismatch(database, keysOf('', other))).toContain('HOPCOUNT_HASH_SECRET');
    await countAt(-3);
    await refused('', other);
    await Promise.all([keepHashKeys(database, keysOf('')), keepHashKeys(database, keysOf(dayAt(2)))]);
    const [row] = await server.query<{ fingerprint: string }>('SELECT fingerprint FROM hash_key_setting');
    expect(row?.fingerprint).toMatch(/^[0-9a-f]{16}$/);
  });
});
