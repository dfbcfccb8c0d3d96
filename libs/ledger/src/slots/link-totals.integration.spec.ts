import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import { Database } from '@hopcount/postgres';
import { testDatabase, type TestDatabase } from '@hopcount/testing';

import { openLedger, randomHistory, randomSource, randomVisit } from '../ledger-history.spec-helpers.js';
import { HOUR_MS } from '../buckets.js';
import { LinkTotals } from './link-totals.js';
import { visitTotals } from './visit-totals.js';

const FROM = Date.parse('2026-09-10T12:00:00Z');
const RANGE = { from: FROM, to: FROM + 3 * HOUR_MS };
const BOTS = ['bot', 'preview', 'prefetch'];

describe('all-time totals', () => {
  let server: TestDatabase;
  let database: Database;
  let commit: Awaited<ReturnType<typeof openLedger>>;
  const random = randomSource(21);

  beforeAll(async () => {
    server = await testDatabase();
    database = await Database.connect({ url: server.url, applicationName: 'totals-spec', poolSize: 6 });
  });
  afterAll(async () => {
    await database.close();
    await server.drop();
  });
  beforeEach(async () => {
    await server.query(`TRUNCATE visits, host_changes, host_traffic, host_totals, link_traffic, scope_traffic, link_visit_slots, source_traffic, link_changes, link_totals,
      consumer_checkpoints`);
    commit = await openLedger(database);
  });

  const kept = () =>
    server.query('SELECT link_id, visits, non_bot_visits FROM link_totals ORDER BY visits DESC, link_id DESC');

  it('are the same from slots and from buckets, zeros for a link nobody visited', async () => {
    const visits = randomHistory(random, '1', RANGE, 80);
    await commit(visits);
    const bots = visits.filter((visit) => BOTS.includes(visit.class)).length;
    for (const source of ['slots', 'traffic'] as const) {
      const totals = await visitTotals(database, ['1', '2'], source);
      expect(totals.get('1')).toEqual({ total: 80, nonBots: 80 - bots, bots });
      expect(totals.get('2')).toEqual({ total: 0, nonBots: 0, bots: 0 });
    }
  });

  it.each(['slots', 'traffic'] as const)('are set from %s, each change used up once', async (source) => {
    const visits = randomHistory(random, '1', RANGE, 30);
    await commit(visits);
    await commit([...visits, ...randomHistory(random, '2', RANGE, 50)]);
    const totals = new LinkTotals(database, source);
    expect(await totals.refresh()).toEqual({ changes: 2, links: 2, complete: true });
    expect(await totals.refresh()).toEqual({ changes: 0, links: 0, complete: true });
    const human = (list: typeof visits) => list.filter((visit) => !BOTS.includes(visit.class)).length;
    const rows = await kept();
    expect(rows).toMatchObject([
      { link_id: '2', visits: '50' },
      { link_id: '1', visits: '30', non_bot_visits: String(human(visits)) },
    ]);
  });

  it('never go back when several refreshers and a writer are at it', async () => {
    const totals = new LinkTotals(database);
    const write = async () => {
      for (let n = 0; n < 30; n += 1) await commit([randomVisit(random, '1', FROM + n * 60_000)]);
    };
    const refresh = async () => {
      for (let n = 0; n < 15; n += 1) await totals.refresh();
    };
    await Promise.all([write(), refresh(), refresh()]);
    expect((await totals.refresh()).complete).toBe(true);
    expect(await kept()).toMatchObject([{ link_id: '1', visits: '30' }]);
  });

  it('says so when another refresher is at it', async () => {
    await commit([randomVisit(random, '1', FROM)]);
    await database.transaction(async (tx) => {
      await tx.query("SELECT pg_advisory_xact_lock(hashtext('link-totals'))");
      expect(await new LinkTotals(database).refresh()).toEqual({ changes: 0, links: 0, complete: false });
    });
    expect(await kept()).toEqual([]);
  });
});
