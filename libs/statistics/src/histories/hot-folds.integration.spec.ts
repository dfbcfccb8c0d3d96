import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import { Database } from '@hopcount/postgres';
import { testDatabase, type TestDatabase } from '@hopcount/testing';

import {
  type EnrichedVisit,
  foldHour,
  HotFolds,
  HOUR_MS,
  LinkHeat,
  PartitionCheckpoints,
  StatisticsVerifier,
  VisitCommitter,
} from '@hopcount/ledger';
import { bruteForce, openLedger, randomHistory, randomSource } from '@hopcount/ledger/spec-helpers';
import { ledgerReader } from '../archive.spec-helpers.js';
import type { LinkStatisticsReader } from '../read/link-statistics-reader.js';

const LINK = '11';
const HOUR = Date.parse('2026-09-10T12:00:00Z');
const NOW = HOUR + 40 * 60_000;
const OPEN = { from: HOUR, to: HOUR + HOUR_MS };

describe('folds of the open hours of hot links', () => {
  let server: TestDatabase;
  let database: Database;
  let reader: LinkStatisticsReader;
  let commit: Awaited<ReturnType<typeof openLedger>>;
  const random = randomSource(5);

  beforeAll(async () => {
    server = await testDatabase();
    database = await Database.connect({ url: server.url, applicationName: 'hot-spec', poolSize: 10 });
    reader = ledgerReader(database);
  });
  afterAll(async () => {
    await database.close();
    await server.drop();
  });
  beforeEach(async () => {
    await server.query(`TRUNCATE visits, host_changes, host_traffic, host_totals, link_traffic, scope_traffic, link_visit_slots, source_traffic, link_changes, link_totals,
      link_folds, link_dimensions, link_fold_deltas, link_heat, consumer_checkpoints`);
    commit = await openLedger(database);
  });

  const folds = () => new HotFolds(database, { settleSeconds: 0, leastRows: 1 });
  const heat = () => new LinkHeat(database, { aggregateFrom: 50, tiers: [{ heat: 50, slots: 8 }] });
  const visitNow = (count: number, linkId = LINK) => randomHistory(random, linkId, { from: HOUR, to: NOW }, count);
  const waiting = async () => (await server.query('SELECT FROM link_fold_deltas')).length;

  async function readExactly(visits: readonly EnrichedVisit[]) {
    const answer = await reader.read({ linkId: LINK, ...OPEN, timeZone: 'UTC', interval: 'hour' });
    const { dimensions, ...totals } = bruteForce(visits, OPEN.from, OPEN.to);
    expect(answer.totals).toEqual(totals);
    expect(answer.dimensions).toEqual(dimensions);
    expect(answer.series[0]).toMatchObject({ visitors: totals.visitors, ips: totals.ips });
    return answer.readFrom;
  }

  it('are kept up by the commits from a promotion on, so that nothing is read from the ledger', async () => {
    const visits = visitNow(60);
    await commit([...visits, ...visitNow(5, '12')]);
    expect(await heat().measure(NOW)).toMatchObject({ folded: 1 });
    expect((await readExactly(visits)).ledgerVisits).toBe(60);
    expect(await folds().foldOpenHours(NOW)).toEqual({ folded: 1, mismatches: 0, failed: 0 });
    expect((await readExactly(visits)).ledgerVisits).toBe(0);
    for (const count of [1, 20, 3]) {
      const more = visitNow(count);
      await commit([...more, ...visitNow(2, '12'), ...visits.slice(0, 9)]);
      visits.push(...more);
      expect((await readExactly(visits)).ledgerVisits).toBe(0);
    }
    expect(await waiting()).toBe(3);
    expect(await folds().foldOpenHours(NOW)).toEqual({ folded: 0, mismatches: 0, failed: 0 });
    expect(await folds().mergeDeltas(NOW)).toEqual({ rows: 3, failed: 0 });
    expect(await waiting()).toBe(0);
    expect((await readExactly(visits)).ledgerVisits).toBe(0);
    const report = await new StatisticsVerifier(database).verify();
    expect(report).toMatchObject({ differences: [], checked: { folds: 1, staleFolds: 0 } });
  });

  it('answer up to now, as long as nothing is later', async () => {
    const visits = visitNow(60);
    await commit(visits);
    await foldHour(database, LINK, HOUR);
    const upToNow = () => reader.read({ linkId: LINK, from: HOUR, to: NOW, timeZone: 'UTC', interval: 'hour' });
    expect((await upToNow()).readFrom).toEqual({ archivedVisits: 0, hourFolds: 1, ledgerVisits: 0 });
    await commit(randomHistory(random, LINK, { from: NOW, to: NOW + 1 }, 1));
    await foldHour(database, LINK, HOUR);
    const answer = await upToNow();
    expect([answer.totals.visits, answer.readFrom.hourFolds]).toEqual([60, 0]);
  });

  it('begin with the first commit of an hour when the link is hot already', async () => {
    await server.query(`INSERT INTO link_heat VALUES ($1, 9, 8, $2)`, [LINK, new Date(HOUR - HOUR_MS)]);
    const visits = visitNow(30);
    await commit(visits);
    expect(await folds().mergeDeltas(NOW)).toEqual({ rows: 1, failed: 0 });
    expect((await readExactly(visits)).ledgerVisits).toBe(0);
  });

  it('miss a commit that did not know of the promotion: read from the ledger until folded again', async () => {
    const before = visitNow(10);
    await commit(before);
    await server.query(`INSERT INTO link_heat VALUES ($1, 9, 8, $2)`, [LINK, new Date(HOUR)]);
    await folds().foldOpenHours(NOW);
    // As if it had read the heat of the link before the mark was set, and ended after the fold.
    await server.query('UPDATE link_heat SET folded_from = NULL');
    const missed = visitNow(4);
    await commit(missed);
    await server.query('UPDATE link_heat SET folded_from = $1', [new Date(HOUR)]);
    const after = visitNow(5);
    await commit(after);
    const all = [...before, ...missed, ...after];
    expect((await readExactly(all)).ledgerVisits).toBe(19);
    expect(await folds().foldOpenHours(NOW)).toEqual({ folded: 1, mismatches: 0, failed: 0 });
    expect((await readExactly(all)).ledgerVisits).toBe(0);
    expect(await waiting()).toBe(0);
  });

  it('hold the very first visit of every link with AGGREGATE_FROM=1, merged or not', async () => {
    const checkpoint = await new PartitionCheckpoints(database).takeOwnership(
      { group: 'every', topic: 'visits', partition: 0 },
      'spec',
    );
    const committer = new VisitCommitter(database, { slots: 8, aggregateFrom: 1 });
    const [first, ...more] = visitNow(30);
    const others = Array.from({ length: 40 }, (_, n) => visitNow(1, String(100 + n))).flat();
    const one = { checkpoint, nextOffset: 1n, lastRecordAtMs: NOW, visits: [first!] };
    const { checkpoint: next } = await committer.commit(one);
    expect(await new HotFolds(database).mergeDeltas(NOW)).toEqual({ rows: 1, failed: 0 });
    expect((await readExactly([first!])).ledgerVisits).toBe(0);
    await committer.commit({ checkpoint: next, nextOffset: 71n, lastRecordAtMs: NOW, visits: [...more, ...others] });
    expect((await readExactly([first!, ...more])).ledgerVisits).toBe(0);
    // A link's first visits are merged at once, so that each visited hour has a fold; a little more waits for its end.
    expect(await new HotFolds(database).mergeDeltas(NOW)).toEqual({ rows: 40, failed: 0 });
    expect(await waiting()).toBe(1);
    expect(await new HotFolds(database).mergeDeltas(NOW + HOUR_MS)).toEqual({ rows: 1, failed: 0 });
    expect(await waiting()).toBe(0);
    expect((await readExactly([first!, ...more])).ledgerVisits).toBe(0);
    const report = await new StatisticsVerifier(database).verify();
    expect(report).toMatchObject({ differences: [], checked: { folds: 41, staleFolds: 0 } });
  });

  it('are the same with SLOTS=off', async () => {
    await server.query(`INSERT INTO link_heat VALUES ($1, 9, 8, $2)`, [LINK, new Date(HOUR)]);
    const checkpoint = await new PartitionCheckpoints(database).takeOwnership(
      { group: 'off', topic: 'visits', partition: 0 },
      'spec',
    );
    const visits = visitNow(12);
    const batch = { checkpoint, nextOffset: 12n, lastRecordAtMs: NOW, visits };
    await new VisitCommitter(database, { slots: 'off' }).commit(batch);
    await folds().mergeDeltas(NOW);
    expect((await readExactly(visits)).ledgerVisits).toBe(0);
  });

  it('waits for a change of heat to settle', async () => {
    await server.query(`INSERT INTO link_heat VALUES ($1, 9, 8, $2)`, [LINK, new Date(HOUR)]);
    await commit(visitNow(12));
    await server.query('TRUNCATE link_fold_deltas');
    expect(await new HotFolds(database, { settleSeconds: 60 }).foldOpenHours(NOW)).toMatchObject({ folded: 0 });
    expect(await folds().foldOpenHours(NOW)).toMatchObject({ folded: 1 });
  });

  it('are whole or unused in every snapshot, while commits, merges, folders and promotions run at once', async () => {
    const visits = visitNow(50);
    await commit(visits);
    await heat().measure(NOW);
    let running = true;
    let fromFold = 0;
    const write = async () => {
      for (let n = 0; n < 60; n += 1) {
        const more = visitNow(1 + random.below(12));
        await commit(more);
        visits.push(...more);
      }
    };
    const forever = async (work: () => Promise<unknown>) => {
      while (running) await work();
    };
    const look = async () => {
      const answer = await reader.read({ linkId: LINK, ...OPEN, timeZone: 'UTC', interval: 'hour' });
      for (const values of Object.values(answer.dimensions)) {
        expect(values.reduce((sum, value) => sum + value.visits, 0)).toBe(answer.totals.visits);
      }
      if (answer.readFrom.hourFolds > 0 && answer.totals.visits > 50) fromFold += 1;
    };
    let promoted = true;
    const flip = async () => {
      promoted = !promoted || random.below(3) > 0;
      await server.query('UPDATE link_heat SET folded_from = $1', [promoted ? new Date(HOUR) : null]);
    };
    const others = [
      forever(() => folds().mergeDeltas(NOW)),
      forever(() => folds().foldOpenHours(NOW)),
      forever(() => foldHour(database, LINK, HOUR)),
      forever(flip),
      forever(look),
    ];
    await write().finally(() => (running = false));
    await Promise.all(others);
    expect(fromFold).toBeGreaterThan(0);
    await server.query('UPDATE link_heat SET folded_from = $1', [new Date(HOUR)]);
    await folds().foldOpenHours(NOW);
    await folds().mergeDeltas(NOW + HOUR_MS);
    expect((await readExactly(visits)).ledgerVisits).toBe(0);
    const report = await new StatisticsVerifier(database).verify();
    expect(report).toMatchObject({ differences: [], checked: { folds: 1 } });
  });
});
