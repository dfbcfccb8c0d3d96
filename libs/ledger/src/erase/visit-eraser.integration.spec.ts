import { waitUntil } from '@hopcount/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import { BUCKET_MS, HOUR_MS, hourOf } from '../buckets.js';
import type { EnrichedVisit } from '../commit/enriched-visit.js';
import { enrichedVisit } from '../enriched-visit.spec-helpers.js';
import { foldHour } from '../fold/fold-hour.js';
import { foldAllHours, randomHistory, randomSource } from '../ledger-history.spec-helpers.js';
import { idsOf, Ledger, noLock, pausePoint, pausingOnceInserted } from '../ledger.spec-helpers.js';
import { OrphanVisits } from '../orphans/orphan-visits.js';
import { VisitPurger } from '../purge/visit-purger.js';
import { visitTotals } from '../slots/visit-totals.js';
import { deleteErasedFolds, forgetFiled } from './erase-batch.js';
import { type People, VisitEraser, type VisitEraserSettings } from './visit-eraser.js';

const NOON = Date.parse('2026-09-10T12:00:00Z');
const RANGE = { from: NOON, to: NOON + 60 * HOUR_MS };
const LINKS = ['1', '2', '3', '999'];
const ADDRESS = String(7 * 1_000_000_007);
const VISITOR: People = {
  person: 'visitor',
  hashes: ['-3', '11'],
  fromMs: Number.NEGATIVE_INFINITY,
  beforeMs: Infinity,
};
const DAY: People = { person: 'ip', hashes: [ADDRESS], fromMs: NOON + 12 * HOUR_MS, beforeMs: NOON + 36 * HOUR_MS };
const WAITING = "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
const TRAFFIC = `SELECT (SELECT sum(visits)::int FROM link_traffic WHERE link_id = 1) AS link,
  (SELECT sum(visits)::int FROM scope_traffic WHERE scope = 'all') AS all`;
const isOf = ({ person, hashes, fromMs, beforeMs }: People, visit: EnrichedVisit) =>
  hashes.includes(visit[person] ?? '') && visit.occurredAtMs >= fromMs && visit.occurredAtMs < beforeMs;

describe('erasing people', () => {
  const random = randomSource(9);
  let ledger: Ledger;
  let visits: EnrichedVisit[];
  beforeAll(async () => {
    ledger = await Ledger.open();
    for (const link of LINKS.slice(0, 3)) await ledger.addLink(link);
  });
  afterAll(() => ledger.close());
  beforeEach(async () => {
    await ledger.server.query(
      `TRUNCATE visits, purged_visits, erasures, link_traffic, scope_traffic, link_visit_slots, link_changes, link_totals,
         source_traffic, link_folds, orphan_visits, host_changes, host_traffic, host_totals CASCADE`,
    );
    await ledger.server.query('UPDATE links SET purged_before = NULL');
    visits = LINKS.flatMap((link) => randomHistory(random, link, RANGE, 150, [DAY.fromMs, DAY.beforeMs]));
    const commits = [await ledger.consumer(), await ledger.consumer()];
    for (const n of [0, 1, 2, 3]) await commits[n % 2]!(visits.slice(n * 150, n * 150 + 150));
  });

  const eraser = (settings: Partial<VisitEraserSettings> = {}) =>
    new VisitEraser(ledger.database, { hasSlots: true, visitsPerTransaction: 7, ...settings });
  async function erase(people: People): Promise<number> {
    const erasure = await eraser().mark(people);
    const gone = await eraser().erase(erasure);
    await eraser().finish(erasure);
    return gone;
  }
  const left = (...erased: People[]) => visits.filter((visit) => !erased.some((people) => isOf(people, visit)));
  const kept = async () =>
    (await ledger.server.query<{ id: string }>('SELECT event_id::text AS id FROM visits ORDER BY 1')).map(
      ({ id }) => id,
    );

  it.each([
    ['a visitor, of all time', VISITOR],
    ['an address, of a day, to the millisecond', DAY],
  ])('%s: out of the ledger and of every number, and nobody else', async (_, people) => {
    await foldAllHours(ledger.database);
    const { length: of } = visits.filter((visit) => isOf(people, visit));
    expect(of).toBeGreaterThan(10);
    expect(await eraser().count(people)).toEqual({ visits: of, orphans: 0 });
    expect(await erase(people)).toBe(of);
    expect(await kept()).toEqual(idsOf(left(people)));
    expect(await ledger.differences()).toEqual([]);
    const totals = await visitTotals(ledger.database, LINKS.slice(0, 3));
    const ofLink = (link: string) => left(people).filter(({ linkId }) => linkId === link).length;
    expect(LINKS.slice(0, 3).map((link) => totals.get(link)?.total)).toEqual(LINKS.slice(0, 3).map(ofLink));
    expect(await eraser().count(people)).toEqual({ visits: 0, orphans: 0 });
    expect(await erase(people)).toBe(0);
  });

  it('brings nothing back when all is read again, also what comes for the first time; what occurs later counts', async () => {
    await erase(VISITOR);
    await erase(DAY);
    const expected = idsOf(left(VISITOR, DAY));
    const late = NOON + 13 * HOUR_MS;
    const unseen = [
      ...randomHistory(random, '1', { from: late, to: late + 1 }, 1).map((one) => ({ ...one, visitor: '11' })),
      ...randomHistory(random, '1', { from: late, to: late + 1 }, 1).map((one) => ({
        ...one,
        visitor: '5',
        ip: ADDRESS,
      })),
    ];
    const result = await (await ledger.consumer())([...visits, ...unseen]);
    expect(result).toMatchObject({ inserted: [], duplicates: expected.length });
    expect(result.purged).toBe(visits.length - expected.length + 2);
    expect(await kept()).toEqual(expected);
    const later = enrichedVisit({ linkId: '1', atMs: Date.now() + 1_000, visitor: '11', ip: ADDRESS });
    expect((await (await ledger.consumer())([later])).inserted).toEqual([later.eventId]);
    expect(await ledger.differences()).toEqual([]);
  });

  it('goes on where it was killed, beside a purge, and never counts a visit twice as gone', async () => {
    const [before, instant] = [visits.length, NOON + 24 * HOUR_MS];
    const erasure = await eraser().mark(VISITOR);
    await ledger.server.query(
      'ALTER TABLE link_changes ADD CONSTRAINT broken CHECK (link_ids <> ARRAY[2::bigint]) NOT VALID',
    );
    await expect(eraser().erase(erasure)).rejects.toThrow(/broken/);
    await ledger.server.query('ALTER TABLE link_changes DROP CONSTRAINT broken');
    expect(await ledger.differences()).toEqual([]);
    const purger = new VisitPurger(ledger.database, noLock, { hasSlots: true, visitsPerTransaction: 5 });
    await Promise.all([
      eraser().erase(erasure),
      eraser({ visitsPerTransaction: 3 }).erase(erasure),
      purger.purge('2', { beforeMs: instant }),
    ]);
    await eraser().finish(erasure);
    const rest = left(VISITOR).filter((visit) => visit.linkId !== '2' || visit.occurredAtMs >= instant);
    expect(rest.length).toBeLessThan(before - 50);
    expect(await kept()).toEqual(idsOf(rest));
    expect(await ledger.differences()).toEqual([]);
  });

  it('waits for a commit that had not seen the mark, and verify notices what was left', async () => {
    const inserted = pausePoint();
    const slow = pausingOnceInserted(ledger.database, inserted);
    const [one] = randomHistory(random, '1', RANGE, 1).map((visit) => ({ ...visit, visitor: '11' }));
    const committing = (await ledger.consumer(8, slow))([one!]);
    await inserted.reached;
    await expect(eraser({ horizonWaitMs: 50 }).mark(VISITOR)).rejects.toMatchObject({ code: 'erasure-unfinished' });
    inserted.goOn();
    await committing;
    const erasure = await eraser().mark(VISITOR);
    await eraser().finish(erasure);
    const found = await ledger.differences();
    expect(new Set(found.map(({ check, expected }) => `${check} ${String(expected)}`))).toEqual(
      new Set(['purges erased']),
    );
    await eraser().erase(erasure);
    expect(await kept()).toEqual(idsOf(left(VISITOR)));
    expect(await ledger.differences()).toEqual([]);
  });

  it('leaves no fold that holds their hashes, though nobody reads it, and takes one that a folder puts back', async () => {
    const stale = [
      [1, '2026-09-10T13:00Z', '{11,12}', '{5}'],
      [2, '2026-09-11T13:00Z', '{12}', `{${ADDRESS}}`],
      [3, '2026-09-15T13:00Z', '{12}', `{${ADDRESS}}`],
    ];
    const foldAgain = async () => {
      await ledger.server.query('TRUNCATE link_folds, link_fold_deltas CASCADE');
      for (const fold of stale)
        await ledger.server.query(
          `WITH fold AS (INSERT INTO link_folds (link_id, hour, visits, checksum, visitors, ips, enrichment_version)
             VALUES ($1, $2, 9, 1, $3, $4, 1))
           INSERT INTO link_fold_deltas (link_id, hour, visits, checksum, visitors, ips, enrichment_version, dimensions,
             dimension_values, human, bot, preview, prefetch, opted_out)
           VALUES ($1, $2, 9, 1, $3, $4, 1, '{}', '{}', '{}', '{}', '{}', '{}', '{}')`,
          fold,
        );
    };
    const folded = async () => {
      const rows = await ledger.server.query<{ id: string }>(`SELECT 'fold ' || link_id AS id FROM link_folds
        UNION ALL SELECT 'delta ' || link_id FROM link_fold_deltas ORDER BY 1`);
      return rows.map(({ id }) => id);
    };
    await ledger.server.query('TRUNCATE visits');
    await foldAgain();
    await erase(VISITOR);
    expect(await folded()).toEqual(['delta 2', 'delta 3', 'fold 2', 'fold 3']);
    await erase(DAY);
    expect(await folded()).toEqual(['delta 3', 'fold 3']);
    const purger = new VisitPurger(ledger.database, noLock, { hasSlots: true });
    // Whether or not the erasure came to its end.
    const { beforeMs } = await eraser().mark(VISITOR);
    await foldAgain();
    await purger.finishAll({ idleMs: 60_000 });
    expect(await folded()).toEqual(['delta 3', 'fold 3']);
    // What they visit afterwards, in the same hour, is folded once and stays.
    await ledger.server.query('TRUNCATE link_folds, link_fold_deltas CASCADE');
    await (
      await ledger.consumer()
    )([enrichedVisit({ linkId: '2', atMs: beforeMs + 1, visitor: '11' })]);
    expect(await foldHour(ledger.database, '2', hourOf(beforeMs + 1))).toBe('folded');
    await purger.finishAll({ idleMs: 60_000 });
    expect(await folded()).toEqual(['fold 2']);
  });

  it('and a folder of the same hour never stop each other', async () => {
    const hour = ['1', '2026-09-10T13:00Z'];
    await ledger.server.query(
      `WITH fold AS (INSERT INTO link_folds (link_id, hour, visits, checksum, visitors, ips, enrichment_version)
         VALUES ($1, $2, 9, 1, '{11}', '{}', 1))
       INSERT INTO link_fold_deltas (link_id, hour, visits, checksum, visitors, ips, enrichment_version, dimensions,
         dimension_values, human, bot, preview, prefetch, opted_out)
       VALUES ($1, $2, 9, 1, '{11}', '{}', 1, '{}', '{}', '{}', '{}', '{}', '{}', '{}')`,
      hour,
    );
    const erasure = await eraser().mark(VISITOR);
    const erasing = await ledger.database.transaction(async (tx) => {
      await tx.query('DELETE FROM link_fold_deltas WHERE link_id = $1 AND hour = $2::timestamptz', hour);
      const waiting = deleteErasedFolds(ledger.database, erasure);
      await waitUntil(async () => (await ledger.server.query(WAITING)).length > 0, { describe: 'the erasure waits' });
      await tx.query('UPDATE link_folds SET folded_at = now() WHERE link_id = $1 AND hour = $2::timestamptz', hour);
      return { waiting };
    });
    await erasing.waiting;
    expect(await ledger.server.query('SELECT FROM link_folds WHERE link_id = 1')).toEqual([]);
  });

  it('many at once: kept out up to one instant, and what files lose goes a portion with each statement', async () => {
    const hashes = Array.from({ length: 20_000 }, (_, n) => String(n));
    await eraser().mark({ ...VISITOR, hashes });
    const instants = 'SELECT count(DISTINCT occurred_before)::int AS instants FROM erasures';
    expect(await ledger.server.query(instants)).toEqual([{ instants: 1 }]);
    const losses = hashes.map((_, n) => ({
      ...{
        linkId: '1',
        bucket: new Date(NOON + n * BUCKET_MS),
        class: 0,
        groupId: '',
        targetHost: null,
        shortHost: null,
        referrerHost: 'direct',
        visits: 1,
        checksum: String(n),
      },
    }));
    const [sums = { link: 0, all: 0 }] = await ledger.server.query<{ link: number; all: number }>(TRAFFIC);
    let most = 0;
    const gone = await ledger.database.transaction((tx) => {
      const query = <Row>(text: string, values: unknown[] = []) => {
        most = Math.max(most, ...values.map((value) => (Array.isArray(value) ? value.length : 1)));
        return tx.query<Row>(text, values);
      };
      return forgetFiled({ ...tx, query }, losses, true);
    });
    expect([gone, most]).toEqual([20_000, 10_000]);
    const expected = { link: sums.link - 20_000, all: sums.all - 20_000 };
    expect(await ledger.server.query(TRAFFIC)).toEqual([expected]);
  });

  it('takes orphan visits of the address, and keeps them out', async () => {
    const orphans = new OrphanVisits(ledger.database);
    const [first, other] = randomHistory(random, '1', { from: DAY.fromMs, to: DAY.fromMs + 1 }, 2);
    const orphan = { ...first!, type: 'base_url' as const, domain: 's.test', path: '/', ip: ADDRESS };
    await orphans.add([orphan, { ...orphan, ...{ eventId: other!.eventId, ip: '5' } }]);
    expect((await eraser().count(DAY)).orphans).toBe(1);
    const erasure = await eraser().mark(DAY);
    expect(await eraser().eraseOrphans(erasure)).toBe(1);
    expect(await orphans.add([orphan])).toBe(0);
    expect(await ledger.server.query('SELECT ip FROM orphan_visits')).toEqual([{ ip: '5' }]);
  });
});
