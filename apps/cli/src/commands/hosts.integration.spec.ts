import { HostFold } from '@hopcount/ledger';
import { enrichedVisit, openLedger } from '@hopcount/ledger/spec-helpers';
import { Database } from '@hopcount/postgres';
import { type TestDatabase, testDatabase } from '@hopcount/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { cliOn } from '../cli.spec-helpers.js';

describe('hosts', () => {
  let server: TestDatabase;
  let hopcount: ReturnType<typeof cliOn>;

  beforeAll(async () => {
    server = await testDatabase();
    hopcount = cliOn(server);
    const database = await Database.connect({ url: server.url, applicationName: 'hosts-spec' });
    const commit = await openLedger(database);
    const atMs = Date.parse('2026-09-10T10:00:00Z');
    await commit(
      ['shop.example.com', 'example.com', 'example.com', 'other.test'].map((targetHost) =>
        enrichedVisit({ atMs, targetHost }),
      ),
    );
    await new HostFold(database).fold();
    await database.close();
  });
  afterAll(() => server.drop());

  it('lists those with the most visits, and shows one by day', async () => {
    const top = await hopcount(['hosts', '-o', 'json']);
    expect([top.code, JSON.parse(top.stdout)]).toMatchObject([
      0,
      [
        { host: 'com', visits: 3, own: 0, children: 1 },
        { host: 'test', visits: 1, own: 0, children: 1 },
      ],
    ]);
    const below = await hopcount(['hosts', 'top', '--below', 'example.com', '-o', 'json']);
    expect(JSON.parse(below.stdout)).toMatchObject([{ host: 'shop.example.com', visits: 1 }]);
    const days = ['--start', '2026-09-10', '--end', '2026-09-11'];
    const shown = await hopcount(['hosts', 'show', 'https://Example.com/', ...days, '-o', 'json']);
    expect(JSON.parse(shown.stdout)).toEqual([
      { start: '2026-09-10T00:00:00+00:00', visits: 3 },
      { start: '2026-09-11T00:00:00+00:00', visits: 0 },
    ]);
    expect(shown.stderr).toContain('example.com (subtree): 3 visits, 3 of people; 3 of all time; 1 name below.');
  });

  it.each([[['top', '--below', 'a..b']], [['show', '*.example.com']], [['top', '--kind', 'none']]])(
    'says what is wrong with %j',
    async (options) => {
      expect((await hopcount(['hosts', ...options])).code).toBe(2);
    },
  );
});
