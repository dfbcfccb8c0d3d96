import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { testDatabase, type TestDatabase } from '@hopcount/testing';

import { type CliResult, cliOn } from '../cli.spec-helpers.js';

describe('hopcount export links', () => {
  let database: TestDatabase;
  let cli: (argv: string[], environment?: Record<string, string>) => Promise<CliResult>;
  beforeAll(async () => {
    database = await testDatabase();
    cli = cliOn(database, { PUBLIC_SCHEME: 'https' });
    await database.query(`INSERT INTO domains (authority, is_default) VALUES ('s.test', true)`);
    await database.query(
      `INSERT INTO links (id, domain_id, code, long_url, created_at)
       SELECT 1, id, 'one', 'https://example.com/', '2026-02-03T04:05:06Z' FROM domains`,
    );
  });
  afterAll(() => database.drop());

  it('prints CSV, or JSON Lines, on stdout', async () => {
    const csv = await cli(['export', 'links']);
    expect(csv.code).toBe(0);
    expect(csv.stdout.split('\n')[1]).toMatch(
      /^https:\/\/s\.test\/one,one,,https:\/\/example\.com\/,,,2026-02-03T04:05:06\+00:00,/,
    );
    const jsonl = await cli(['export', 'links', '-o', 'json']);
    expect(JSON.parse(jsonl.stdout)).toMatchObject({ shortUrl: 'https://s.test/one', visitsSummary: { total: 0 } });
  });
});
