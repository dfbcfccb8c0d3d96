import { openLedger, enrichedVisit } from '@hopcount/ledger/spec-helpers';
import { Database } from '@hopcount/postgres';
import { testDatabase, type TestDatabase } from '@hopcount/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { type CliResult, cliOn } from '../cli.spec-helpers.js';

describe('hopcount export visits', () => {
  let database: TestDatabase;
  let cli: (argv: string[], environment?: Record<string, string>) => Promise<CliResult>;
  const visits = [1, 2, 3].map((hour) =>
    enrichedVisit({ linkId: hour === 2 ? '2' : '1', atMs: Date.UTC(2026, 10, 1, hour) }),
  );
  beforeAll(async () => {
    database = await testDatabase();
    cli = cliOn(database, { PUBLIC_SCHEME: 'https' });
    await database.query(`INSERT INTO domains (authority, is_default) VALUES ('s.test', true)`);
    await database.query(
      `INSERT INTO links (id, domain_id, code, long_url) SELECT n, id, 'code' || n, 'https://example.com/' FROM domains, generate_series(1, 2) AS n`,
    );
    const writer = await Database.connect({ url: database.url, applicationName: 'spec' });
    await (
      await openLedger(writer)
    )(visits);
    await writer.close();
  });
  afterAll(() => database.drop());

  const ids = async (...argv: string[]) => {
    const { code, stdout } = await cli(['export', 'visits', '-o', 'json', ...argv]);
    expect(code).toBe(0);
    return stdout
      .split('\n')
      .filter(Boolean)
      .map((line) => (JSON.parse(line) as { eventId: string }).eventId);
  };

  it('prints CSV, or JSON Lines, on stdout, of what was asked for', async () => {
    const [first, second, third] = visits.map(({ eventId }) => eventId);
    expect(await ids()).toEqual([first, second, third]);
    expect(await ids('--link', 'code1')).toEqual([first, third]);
    expect(await ids('--after', second ?? '')).toEqual([third]);
    expect(await ids('--from', '2026-11-01T02:00:00Z', '--to', '2026-11-01T03:00:00Z')).toEqual([second]);
    const csv = await cli(['export', 'visits']);
    expect(csv.stdout.split('\n')[1]).toContain(`${first},2026-11-01T01:00:00.000Z,https://s.test/code1,code1,,`);
  });

  it('says what it cannot read', async () => {
    expect((await cli(['export', 'visits', '--after', 'x'])).code).toBe(2);
    expect((await cli(['export', 'visits', '--link', 'none'])).code).toBe(1);
  });
});
