import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import { Database } from '@hopcount/postgres';
import { testDatabase, type TestDatabase } from '@hopcount/testing';

import { daysAt, openLedger, randomHistory, randomSource, randomVisit } from '../ledger-history.spec-helpers.js';
import { LinkTotals } from '../slots/link-totals.js';
import { DAY_MS, HOUR_MS } from '../buckets.js';
import { type FoldSettings, UnitFolder } from './unit-folder.js';

const NOON = Date.parse('2026-09-10T12:00:00Z');
const DAY = Date.parse('2026-09-10T00:00:00Z');

describe('folding', () => {
  let server: TestDatabase;
  let database: Database;
  let commit: Awaited<ReturnType<typeof openLedger>>;
  const random = randomSource(11);

  beforeAll(async () => {
    server = await testDatabase();
    database = await Database.connect({ url: server.url, applicationName: 'fold-spec', poolSize: 6 });
  });
  afterAll(async () => {
    await database.close();
    await server.drop();
  });
  beforeEach(async () => {
    await server.query(`TRUNCATE visits, link_traffic, link_visit_slots, source_traffic, link_changes, link_totals,
      fold_candidates, link_folds, link_dimensions, consumer_checkpoints, ledger_retention`);
    commit = await openLedger(database);
  });

  const folder = (settings: Partial<FoldSettings> = {}) =>
    new UnitFolder(database, {
      dayOf: daysAt(0),
      hourThreshold: 10,
      dayThreshold: 30,
      graceMs: 60_000,
      ...settings,
    });
  const visitHour = async (linkId: string, hour: number, count: number) => {
    await commit(randomHistory(random, linkId, { from: hour, to: hour + HOUR_MS }, count));
    await new LinkTotals(database).refresh();
  };
  const folds = () =>
    server.query<{ link_id: string; unit: string; unit_start: Date; visits: string }>(
      'SELECT link_id, unit, unit_start, visits FROM link_folds ORDER BY link_id, unit, unit_start',
    );
  const candidates = async () => (await server.query('SELECT FROM fold_candidates')).length;

  it('waits for an hour to close and for its grace, and keeps its candidate for the day', async () => {
    await visitHour('1', NOON, 12);
    expect(await folder().foldDue(NOON + HOUR_MS + 59_999)).toMatchObject({ hours: 0 });
    expect(await folder().foldDue(NOON + HOUR_MS + 60_000)).toMatchObject({ hours: 1, days: 0 });
    expect(await candidates()).toBe(1);
    expect(await folder().foldDue(NOON + 2 * HOUR_MS)).toMatchObject({ hours: 0, days: 0 });
    expect(await folder().foldDue(DAY + DAY_MS + 60_000)).toMatchObject({ hours: 0, days: 0 });
    expect(await candidates()).toBe(0);
    expect(await folds()).toEqual([{ link_id: '1', unit: 'hour', unit_start: new Date(NOON), visits: '12' }]);
  });

  it('leaves small units to the ledger, and adds up a day of small hours', async () => {
    for (let hour = 0; hour < 4; hour += 1) await visitHour('1', NOON + hour * HOUR_MS, 8);
    await visitHour('2', NOON, 9);
    expect(await folder().foldDue(DAY + DAY_MS + 60_000)).toMatchObject({ hours: 0, days: 1, mismatches: 0 });
    expect(await folds()).toEqual([{ link_id: '1', unit: 'day', unit_start: new Date(DAY), visits: '32' }]);
  });

  it('folds again after a late visit, both hour and day, even below the threshold by then', async () => {
    await visitHour('1', NOON, 35);
    const later = DAY + DAY_MS + HOUR_MS;
    expect(await folder().foldDue(later)).toMatchObject({ hours: 1, days: 1 });
    await commit([randomVisit(random, '1', NOON + 1)]);
    await new LinkTotals(database).refresh();
    expect(await folder({ hourThreshold: 1_000, dayThreshold: 1_000 }).foldDue(later)).toMatchObject({
      hours: 1,
      days: 1,
    });
    expect((await folds()).map((fold) => fold.visits)).toEqual(['36', '36']);
  });

  it('keeps each id once and sorted, and dimensions that sum to the visits', async () => {
    await visitHour('1', NOON, 200);
    await folder().foldDue(NOON + 2 * HOUR_MS);
    const [row] = await server.query<{ sorted: boolean; nulls: boolean }>(`
      SELECT visitors = ARRAY(SELECT DISTINCT unnest(visitors) ORDER BY 1) AS sorted,
        array_position(visitors, NULL) IS NOT NULL AS nulls FROM link_folds`);
    expect(row).toEqual({ sorted: true, nulls: false });
    const sums = await server.query<{ dimension: string; visits: string }>(`
      SELECT dimension, sum(human + bot + preview + prefetch + opted_out) AS visits
      FROM link_dimensions GROUP BY 1`);
    expect(sums).toHaveLength(9);
    expect(new Set(sums.map((sum) => sum.visits))).toEqual(new Set(['200']));
  });

  it('writes nothing where ledger and buckets disagree', async () => {
    await visitHour('1', NOON, 12);
    await server.query(
      'UPDATE link_traffic SET checksum = checksum # 1 WHERE bucket = (SELECT min(bucket) FROM link_traffic)',
    );
    expect(await folder().foldDue(NOON + 2 * HOUR_MS)).toMatchObject({ hours: 0, mismatches: 1 });
    expect(await folds()).toEqual([]);
  });

  it('folds everything in a range, hours and days, whatever their size', async () => {
    await visitHour('1', NOON, 1);
    await visitHour('2', DAY - HOUR_MS, 1);
    await folder().foldRange(DAY, DAY + DAY_MS);
    expect((await folds()).map(({ link_id, unit }) => [link_id, unit])).toEqual([
      ['1', 'day'],
      ['1', 'hour'],
    ]);
  });

  it('never folds a day again once part of its ledger is gone', async () => {
    await visitHour('1', NOON, 40);
    await server.query('INSERT INTO ledger_retention (kept_from) VALUES ($1)', [new Date(NOON)]);
    expect(await folder().foldDue(DAY + DAY_MS + HOUR_MS)).toMatchObject({ hours: 1, days: 0, mismatches: 0 });
  });

  it('finds by a sweep what no candidate names', async () => {
    await visitHour('1', NOON, 40);
    await server.query('DELETE FROM fold_candidates');
    const later = DAY + DAY_MS + HOUR_MS;
    expect(await folder().foldDue(later)).toMatchObject({ hours: 0, days: 0 });
    expect(await folder().sweep(later)).toMatchObject({ hours: 1, days: 1 });
    expect(await folder().sweep(later)).toMatchObject({ hours: 0, days: 0 });
  });

  it('folds the two days a UTC hour belongs to where midnight is at half past', async () => {
    const midnight = Date.parse('2026-09-10T18:30:00Z');
    await commit(randomHistory(random, '1', { from: midnight - 30 * 60_000, to: midnight }, 35));
    await commit(randomHistory(random, '1', { from: midnight, to: midnight + 30 * 60_000 }, 40));
    await new LinkTotals(database).refresh();
    const kolkata = folder({ dayOf: daysAt(330), hourThreshold: 1_000 });
    expect(await kolkata.foldDue(midnight + DAY_MS + HOUR_MS)).toMatchObject({ days: 2 });
    expect((await folds()).map((fold) => fold.visits)).toEqual(['35', '40']);
  });

  it('runs beside other folders and commits without harm', async () => {
    for (let hour = 0; hour < 6; hour += 1) await visitHour('1', NOON + hour * HOUR_MS, 20);
    const later = DAY + DAY_MS + HOUR_MS;
    const late = async () => {
      for (let n = 0; n < 5; n += 1) await visitHour('1', NOON + n * HOUR_MS, 3);
    };
    await Promise.all([folder().sweep(later), folder().sweep(later), folder().foldDue(later), late()]);
    for (let run = 0; run < 3; run += 1) await folder().foldDue(later);
    expect((await folds()).map((fold) => fold.visits)).toEqual(['135', '23', '23', '23', '23', '23', '20']);
  });

  it('a unit that runs into the statement limit delays only itself, and is found again', async () => {
    for (const link of ['1', '2', '3']) await visitHour(link, NOON, 12);
    await folder().foldDue(NOON + 2 * HOUR_MS);
    for (const link of ['1', '2', '3']) await visitHour(link, NOON, 1);
    const hurried = await Database.connect({
      url: server.url,
      applicationName: 'fold-spec',
      statementTimeoutMs: 2_000,
    });
    const thresholds = { dayOf: daysAt(0), hourThreshold: 10, dayThreshold: 30 };
    const later = DAY + DAY_MS + HOUR_MS;
    try {
      await database.transaction(async (tx) => {
        await tx.query(`SELECT FROM link_folds WHERE link_id = 2 AND unit = 'hour' FOR UPDATE`);
        const inRange = await new UnitFolder(hurried, thresholds).foldRange(DAY, NOON + 2 * HOUR_MS);
        expect(inRange).toMatchObject({ hours: 2, failed: [{ kind: 'hour', linkId: '2', from: NOON }] });
        const due = await new UnitFolder(hurried, thresholds).foldDue(later);
        expect(due).toMatchObject({ hours: 0, failed: [{ kind: 'hour', linkId: '2' }] });
      });
      expect(await new UnitFolder(hurried, thresholds).foldDue(later)).toMatchObject({ hours: 1, failed: [] });
    } finally {
      await hurried.close();
    }
    expect((await folds()).map((fold) => fold.visits)).toEqual(['13', '13', '13']);
  });

  it('finds a unit again when the lock or the work failed', async () => {
    await visitHour('1', NOON, 12);
    const failing = { withReadLock: () => Promise.reject(new Error('no lock')) };
    await expect(folder().foldDue(NOON + 2 * HOUR_MS, failing)).rejects.toThrow('no lock');
    const locked: string[] = [];
    const withReadLock = async (linkIds: string[], work: () => Promise<void>) => {
      locked.push(...linkIds);
      await work();
    };
    expect(await folder().foldDue(NOON + 2 * HOUR_MS, { withReadLock })).toMatchObject({ hours: 1 });
    expect(locked).toEqual(['1']);
  });
});
