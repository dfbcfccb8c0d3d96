import { checksumText, eventIdChecksum, eventIdTimeMs, type SourceAuditV1 } from '@hopcount/contracts';
import { Database } from '@hopcount/postgres';
import { newEventId, testDatabase, type TestDatabase } from '@hopcount/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import type { OwnedCheckpoint } from '../commit/checkpoint.js';
import type { EnrichedVisit } from '../commit/enriched-visit.js';
import { enrichedVisit } from '../enriched-visit.spec-helpers.js';
import { PartitionCheckpoints } from '../commit/partition-checkpoints.js';
import { VisitCommitter } from '../commit/visit-committer.js';
import { countUncounted } from './count-uncounted.js';
import { StatisticsVerifier } from '../verify/statistics-verifier.js';
import { AuditReconciler } from './audit-reconciler.js';
import type { PartitionLog } from './counted-up-to.js';
import { RefusedVisits } from './refused-visits.js';
import { SourceAudits } from './source-audits.js';

const VISITS = { group: 'g', topic: 'visits', partition: 0 };
const AUDITS = { group: 'g-audits', topic: 'visits.audit', partition: 0 };
const MINUTE = 60_000;
const START = Math.floor(Date.now() / MINUTE) * MINUTE - 20 * MINUTE;

const visitsAt = (count: number, minute: number, source = 'gw-1') =>
  Array.from({ length: count }, () => {
    const eventId = newEventId(minute + Math.floor(Math.random() * MINUTE));
    return enrichedVisit({ eventId, occurredAtMs: eventIdTimeMs(eventId), source });
  });

function reportOf(visits: readonly EnrichedVisit[], minute: number, more: Partial<SourceAuditV1> = {}): SourceAuditV1 {
  const sum = { hi: 0, lo: 0 };
  for (const { eventId } of visits) {
    const { hi, lo } = eventIdChecksum(eventId);
    sum.hi ^= hi;
    sum.lo ^= lo;
  }
  const counts = { visits: visits.length, checksum: checksumText(sum.hi, sum.lo), answered: 0, refused: 0, inDoubt: 0 };
  return { version: 1, source: 'gw-1', minute, sequence: 1, ...counts, final: false, ...more };
}

function visitsOf(side: unknown): unknown {
  return typeof side === 'object' && side !== null && 'visits' in side ? side.visits : side;
}

describe('the reconciler', () => {
  let server: TestDatabase;
  let database: Database;
  let audits: SourceAudits;
  let committer: VisitCommitter;
  let owned: OwnedCheckpoint;
  let end: PartitionLog;
  let offset: bigint;
  let reconciler: AuditReconciler;

  beforeAll(async () => {
    server = await testDatabase();
    database = await Database.connect({ url: server.url, applicationName: 'spec' });
    audits = new SourceAudits(database);
    committer = new VisitCommitter(database, { slots: 'off' });
  });
  afterAll(async () => {
    await database.close();
    await server.drop();
  });
  beforeEach(async () => {
    await database.query(`TRUNCATE visits, host_changes, host_traffic, host_totals, link_traffic, scope_traffic, source_traffic, link_changes, consumer_checkpoints,
      source_audits, refused_visits, ledger_retention`);
    owned = await new PartitionCheckpoints(database).takeOwnership(VISITS, 'me');
    offset = await audits.position(AUDITS, { low: 0n, high: 100n });
    end = { partition: 0, low: 0n, high: 0n };
    reconciler = new AuditReconciler(database, { ...VISITS, logEnds: () => Promise.resolve([{ ...end }]) });
  });

  const publish = (count: number) => (end.high += BigInt(count));
  const count = async (visits: EnrichedVisit[]) => {
    const batch = { nextOffset: end.high, lastRecordAtMs: Date.now(), visits };
    owned = (await committer.commit({ checkpoint: owned, ...batch })).checkpoint;
  };
  const receive = async (...reports: SourceAuditV1[]) => {
    await audits.store(AUDITS, { from: offset, to: offset + 1n }, reports);
    offset += 1n;
  };
  const statuses = async () =>
    (
      await database.query<{ status: string | null; missing: string }>(
        'SELECT status, missing FROM source_audits ORDER BY source, minute',
      )
    ).map(({ status, missing }) => [status, Number(missing)]);

  it('finds equal what was counted as reported', async () => {
    const visits = visitsAt(20, START);
    publish(20);
    await receive(reportOf(visits, START));
    await count(visits);
    expect(await reconciler.run()).toMatchObject({ missingVisits: 0, differentMinutes: 0, openMinutes: 0 });
    expect(await statuses()).toEqual([['equal', 0]]);
  });

  it('waits until everything published before the report is passed, however long that takes', async () => {
    const visits = visitsAt(20, START);
    publish(20);
    await receive(reportOf(visits, START));
    expect(await reconciler.run()).toMatchObject({ openMinutes: 1, missingVisits: 0 });
    publish(5); // of others, later: not waited for
    owned = { ...owned };
    const batch = { nextOffset: 20n, lastRecordAtMs: Date.now(), visits };
    owned = (await committer.commit({ checkpoint: owned, ...batch })).checkpoint;
    expect(await reconciler.run()).toMatchObject({ openMinutes: 0, missingVisits: 0 });
    expect(await statuses()).toEqual([['equal', 0]]);
  });

  it('settles again after the topic was made anew, although the old ends are never passed', async () => {
    publish(1_000);
    await receive(reportOf([], START));
    await reconciler.run();
    end = { partition: 0, low: 0n, high: 0n };
    const visits = visitsAt(20, START + MINUTE);
    publish(20);
    await receive(reportOf(visits, START + MINUTE));
    await reconciler.run();
    await count(visits);
    await reconciler.run();
    expect(await statuses()).toEqual([
      ['equal', 0],
      ['equal', 0],
    ]);
  });

  it('does not let one loss and one visit nobody sent cancel out', async () => {
    const visits = visitsAt(10, START);
    publish(10);
    await receive(reportOf(visits, START));
    await count([...visits.slice(1), ...visitsAt(1, START)]);
    expect(await reconciler.run()).toMatchObject({ differentMinutes: 1, missingVisits: 0 });
    expect(await statuses()).toEqual([['missing', 0]]);
  });

  it('tells missing and surplus visits of every process and minute', async () => {
    const [lost, more] = [visitsAt(10, START), visitsAt(10, START + MINUTE, 'gw-2')];
    publish(20);
    await receive(reportOf(lost, START), reportOf(more.slice(3), START + MINUTE, { source: 'gw-2' }));
    await count([...lost.slice(4), ...more]);
    expect(await reconciler.run()).toMatchObject({ missingVisits: 4, surplusVisits: 3, differentMinutes: 2 });
    expect(await statuses()).toEqual([
      ['missing', 4],
      ['surplus', -3],
    ]);
  });

  it('looks again at what was missing: a late repair mends it', async () => {
    const visits = visitsAt(10, START);
    publish(10);
    await receive(reportOf(visits, START));
    await count(visits.slice(2));
    expect(await reconciler.run()).toMatchObject({ missingVisits: 2 });
    await count(visits);
    expect(await reconciler.run()).toMatchObject({ missingVisits: 0, differentMinutes: 0 });
  });

  it('takes visits in a dead letter for refused, not lost, and knows when they were counted after all', async () => {
    const visits = visitsAt(10, START);
    const letters = visits.slice(0, 3).map(({ eventId, source }) => ({
      key: Buffer.from(eventId),
      value: Buffer.from(JSON.stringify({ version: 9, source })),
      reason: 'unstorable',
    }));
    const strangers = [{ key: null, value: null, reason: 'empty-value' }];
    const refused = new RefusedVisits(database);
    for (let again = 0; again < 2; again += 1) await refused.note([...letters, ...strangers]);
    publish(10);
    await receive(reportOf(visits, START));
    await count(visits.slice(3));
    expect(await reconciler.run()).toMatchObject({ missingVisits: 0, differentMinutes: 0 });
    expect(await statuses()).toEqual([['equal', 0]]);
    await database.query('UPDATE source_audits SET status = NULL');
    await count(visits);
    await reconciler.run();
    expect(await statuses()).toEqual([['equal', 0]]);
  });

  it('says nothing about a month whose ledger was dropped: a refused visit may have been counted later', async () => {
    const visits = visitsAt(10, START);
    const [first] = visits;
    const letter = { key: Buffer.from(first!.eventId), value: Buffer.from('{"source":"gw-1"}'), reason: 'unstorable' };
    await new RefusedVisits(database).note([letter]);
    publish(10);
    await receive(reportOf(visits, START));
    await count(visits.slice(0, 9));
    expect(await reconciler.run()).toMatchObject({ missingVisits: 1 });
    await count(visits); // the letter was redriven, and what was missing came
    const range = { from: START, to: START + MINUTE };
    expect(await countUncounted(database, range)).toBe(1);
    await reconciler.run();
    expect(await countUncounted(database, range)).toBe(0);
    // What a drop leaves behind (see forget-counted.sql).
    await database.query('DELETE FROM visits');
    await database.query('DELETE FROM refused_visits');
    await database.query('INSERT INTO ledger_retention (kept_from) VALUES ($1)', [new Date(START + MINUTE)]);
    await database.query("UPDATE source_audits SET status = 'missing'");
    await reconciler.run();
    expect(await statuses()).toEqual([['missing', 0]]);
    expect(await countUncounted(database, range)).toBe(0);
    await receive(reportOf(visits, START, { sequence: 2, source: 'gw-9' }));
    expect(await statuses()).toHaveLength(1);
    expect((await new StatisticsVerifier(database).verify({ slots: 'off' })).differences).toEqual([]);
  });

  it('allows for visits in doubt, and for no more than those', async () => {
    const visits = visitsAt(10, START);
    const doubtful = visitsAt(2, START);
    publish(12);
    await receive(reportOf(visits, START, { refused: 5, inDoubt: 2 }));
    await count([...visits, ...doubtful]);
    await reconciler.run();
    expect(await statuses()).toEqual([['in-doubt', -2]]);
    await database.query('UPDATE source_audits SET in_doubt = 1, status = NULL');
    expect(await reconciler.run()).toMatchObject({ surplusVisits: 2 });
  });

  it('lists minutes of a killed process apart, and holds a silent minute against one that lives', async () => {
    const killed = visitsAt(7, START, 'gw-killed');
    const silent = visitsAt(5, START, 'gw-lives');
    const later = visitsAt(2, START + MINUTE, 'gw-lives');
    publish(14);
    await receive(reportOf(later, START + MINUTE, { source: 'gw-lives' }));
    await count([...killed, ...silent, ...later]);
    expect(await reconciler.run()).toMatchObject({
      unauditedMinutes: 1,
      unauditedVisits: 7,
      unreportedMinutes: 1,
      differentMinutes: 0,
    });
  });

  it('shows every difference in verify, by process and minute, and what is only unaudited apart', async () => {
    const [lost, swapped] = [visitsAt(10, START), visitsAt(5, START + MINUTE)];
    const [killed, silent] = [visitsAt(7, START, 'gw-killed'), visitsAt(3, START, 'gw-lives')];
    const open = reportOf(visitsAt(2, START), START + 3 * MINUTE, { source: 'gw-late' });
    publish(25);
    await receive(reportOf(lost, START), reportOf(swapped, START + MINUTE));
    await receive(reportOf([], START + MINUTE, { source: 'gw-lives', final: true }));
    await count([...lost.slice(1), ...swapped.slice(1), ...visitsAt(1, START + MINUTE), ...killed, ...silent]);
    await reconciler.run();
    await receive(open);
    const { differences, checked } = await new StatisticsVerifier(database).verify({ slots: 'off' });
    const audited = differences.filter(({ check }) => check === 'audits');
    expect(audited.map(({ unit, expected, actual }) => [unit, visitsOf(expected), visitsOf(actual)]).sort()).toEqual([
      [`gw-1 ${new Date(START).toISOString()}`, 10, 9],
      [`gw-1 ${new Date(START + MINUTE).toISOString()}`, 5, 5],
      [`gw-lives ${new Date(START).toISOString()}`, 'no report', 3],
    ]);
    expect(checked.audits).toMatchObject({ settled: 3, open: 1, unauditedMinutes: 2, unauditedVisits: 10 });
  });

  it('is clean in verify when all agrees, visits in a dead letter and in doubt included', async () => {
    const visits = visitsAt(10, START);
    const [refused] = visits;
    const value = Buffer.from('{broken,"source":"gw-1"}');
    await new RefusedVisits(database).note([{ key: Buffer.from(refused!.eventId), value, reason: 'unstorable' }]);
    publish(10);
    await receive(reportOf(visits, START), reportOf([], START + MINUTE, { answered: 1, inDoubt: 1 }));
    await count([...visits.slice(1), ...visitsAt(1, START + MINUTE)]);
    await reconciler.run();
    const { differences } = await new StatisticsVerifier(database).verify({ slots: 'off' });
    expect(differences.filter(({ check }) => check === 'audits')).toEqual([]);
  });

  it('tells how many visits of the range are known not to be counted', async () => {
    const visits = visitsAt(10, START + MINUTE);
    const [refused] = visits;
    const value = Buffer.from('{broken,"source":"gw-1"}');
    await new RefusedVisits(database).note([{ key: Buffer.from(refused!.eventId), value, reason: 'unstorable' }]);
    publish(10);
    await receive(reportOf([], START, { answered: 4, inDoubt: 1 }), reportOf(visits, START + MINUTE));
    await count([...visits.slice(3), ...visitsAt(1, START)]);
    await reconciler.run();
    const uncounted = (from: number, to: number) => countUncounted(database, { from, to });
    expect(await uncounted(START, START + MINUTE)).toBe(3); // four answered, one of them counted after all
    expect(await uncounted(START + MINUTE, START + 2 * MINUTE)).toBe(3); // one in a dead letter, two missing
    expect(await uncounted(START - MINUTE, START + 2 * MINUTE)).toBe(6);
    expect(await uncounted(START + 2 * MINUTE, START + 9 * MINUTE)).toBe(0);
  });

  it('lets a report with a higher sequence replace the earlier one, in any order and any number of times', async () => {
    const visits = visitsAt(10, START);
    const [first, second] = [reportOf(visits.slice(1), START), reportOf(visits, START, { sequence: 2 })];
    publish(10);
    await count(visits);
    await receive(first);
    await reconciler.run();
    expect(await statuses()).toEqual([['surplus', -1]]);
    await receive(second, first);
    await receive(first);
    await reconciler.run();
    expect(await statuses()).toEqual([['equal', 0]]);
  });

  it('stores nothing from a place it did not leave off at, and reads on from where the database stands', async () => {
    await receive(reportOf([], START, { answered: 1 }));
    const stale = audits.store(AUDITS, { from: 0n, to: 9n }, [reportOf([], START + MINUTE)]);
    await expect(stale).rejects.toMatchObject({ code: 'checkpoint-fenced' });
    expect(await statuses()).toHaveLength(1);
    expect(await audits.position(AUDITS, { low: 0n, high: 5n })).toBe(1n);
    expect(await audits.position(AUDITS, { low: 3n, high: 5n })).toBe(3n);
    expect(await audits.position(AUDITS, { low: 0n, high: 1n })).toBe(0n);
  });
});
