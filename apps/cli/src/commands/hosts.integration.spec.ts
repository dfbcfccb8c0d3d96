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
    const today = await hopcount(['hosts', 'show', 'example.com', '--range', 'last7days', '-o', 'json']);
    expect(JSON.parse(today.stdout)).toHaveLength(7);
    const both = await hopcount(['hosts', 'show', 'example.com', '--range', 'today', ...days]);
    expect([both.code, both.stderr]).toEqual([2, expect.stringContaining('--range')]);
  });

  it('compares some, side by side', async () => {
    const days = ['--start', '2026-09-10', '--end', '2026-09-11'];
    const compared = await hopcount(['hosts', 'compare', 'other.test', 'example.com', ...days, '-o', 'csv']);
    expect(compared.stdout.trim().split(/\r?\n/)).toEqual([
      'start,other.test,example.com',
      '2026-09-10T00:00:00+00:00,1,3',
      '2026-09-11T00:00:00+00:00,0,0',
    ]);
    expect(compared.stderr).toContain('example.com: 3, 0 in the last five minutes, 3 of all time.');
  });

  it('reports a month as CSV', async () => {
    const { stdout } = await hopcount(['hosts', 'report', '--month', '2026-09']);
    expect(stdout.split('\n').filter((line) => line.includes('target'))).toEqual([
      'new,target,example.com,2,0',
      'new,target,shop.example.com,1,0',
      'new,target,other.test,1,0',
    ]);
    expect((await hopcount(['hosts', 'report', '--month', '2026-9'])).code).not.toBe(0);
  });

  it('lists surges with what they are made of', async () => {
    const explanation = {
      ...{ visits: 120, bots: 30, children: 2, countries: [], referrers: [{ referrer: 'news.test', visits: 60 }] },
      links: [{ domain: 's.test', shortCode: 'x', visits: 108 }],
    };
    await server.query(
      `INSERT INTO host_alerts (kind, host, what, at, visits, base, is_new, explanation)
       VALUES (2, 'test.go', 'opened', '2026-09-10T10:00Z', 120, 10.04, false, $1)`,
      [JSON.stringify(explanation)],
    );
    await server.query(`INSERT INTO host_surges SELECT kind, host, id, '{}' FROM host_alerts`);
    const { code, stdout, stderr } = await hopcount(['hosts', 'alerts', '-o', 'json']);
    const at = '2026-09-10T10:00:00.000Z';
    expect([code, JSON.parse(stdout)]).toEqual([
      0,
      [
        {
          ...{ host: 'go.test', kind: 'short', openedAt: at, escalatedAt: null, closedAt: null, visits: 120 },
          ...{ usualVisits: 10, link: 's.test/x', referrer: 'news.test', country: null, botsPercent: 25, children: 2 },
        },
      ],
    ]);
    expect(stderr).toContain('1 surge, 1 open');
  });

  it('lists what was fed, and takes away what a key did that is revoked', async () => {
    await server.query(`INSERT INTO host_batches (stream, key, body_hash, accepted_at, lines, visits, names, counts, settled_at)
      VALUES ('key 7', 'old', '', now() - interval '9 days', 1, 1, NULL, NULL, now() - interval '9 days'),
        ('key 7', 'one', '', now() - interval '3 hours', 1, 5, '{com.fed}', '{5}', now()),
        ('key 7', 'two', '', now() - interval '1 hour', 1, 6, '{com.fed}', '{6}', now()),
        ('key 7', 'three', '', now(), 1, 7, NULL, NULL, NULL),
        ('key 8', 'one', '', now(), 1, 8, '{com.fed}', '{8}', now())`);
    const stateOf = async () => {
      const { stdout } = await hopcount(['hosts', 'batches', '--stream', 'key 7', '-o', 'json']);
      return (JSON.parse(stdout) as { key: string; state: string }[]).map(({ key, state }) => `${key} ${state}`);
    };
    const before = ['three accepted', 'two counted', 'one counted', 'old counted'];
    expect(await stateOf()).toEqual(before);
    const reverse = ['hosts', 'reverse', 'key 7'];
    expect((await hopcount(reverse)).stderr).toContain('Would take away 3 batches');
    const since = new Date(Date.now() - 2 * 3_600_000).toISOString();
    expect((await hopcount([...reverse, '--since', since])).stderr).toContain('2 batches');
    expect(await stateOf()).toEqual(before);
    expect((await hopcount([...reverse, '--key', 'two', '--execute'])).code).toBe(0);
    const { stdout } = await hopcount([...reverse, '--execute', '-o', 'json']);
    expect(JSON.parse(stdout)).toEqual({ reversed: 2 });
    expect(await stateOf()).toEqual(['three withdrawn', 'two reversed', 'one reversed', 'old counted']);
    const [taken] = await server.query('SELECT sum(one)::int AS visits FROM host_changes, unnest(n) AS one');
    expect(taken).toEqual({ visits: 11 });
    const audited = await server.query(`SELECT object FROM audit_log WHERE kind = 'host-batch' ORDER BY object`);
    expect(audited).toEqual(['one', 'three', 'two'].map((key) => ({ object: `key 7 ${key}` })));
  });

  it('forgets a data centre that is followed no more', async () => {
    await server.query(`INSERT INTO host_peers (dc, replicas, p) VALUES ('paris', 1, 5);
      INSERT INTO host_replicas SELECT 'paris', kind, name, 0, 1, 5, 0, id FROM hosts WHERE kind = 0 AND name = 'test.other';
      INSERT INTO host_totals SELECT kind, host_id, class, dc, p, n, now() FROM host_replicas`);
    const visits = async () => {
      const { stdout } = await hopcount(['hosts', 'top', '--below', 'test', '-o', 'json']);
      return (JSON.parse(stdout) as { visits: number }[]).map((host) => host.visits);
    };
    expect(await visits()).toEqual([6]);
    const forget = ['hosts', 'forget-peer', 'paris'];
    expect((await hopcount(forget)).stderr).toContain('Would forget paris and 1 sum of it');
    expect(JSON.parse((await hopcount([...forget, '--execute', '-o', 'json'])).stdout)).toEqual({ forgotten: 1 });
    expect(await visits()).toEqual([1]);
    expect(await hopcount(forget)).toMatchObject({ code: 1, stderr: expect.stringContaining('no peer "paris"') });
  });

  it.each([[['top', '--below', 'a..b']], [['show', '*.example.com']], [['top', '--kind', 'none']]])(
    'says what is wrong with %j',
    async (options) => {
      expect((await hopcount(['hosts', ...options])).code).toBe(2);
    },
  );
});
