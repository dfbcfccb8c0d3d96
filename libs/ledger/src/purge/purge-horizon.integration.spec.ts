import { waitUntil } from '@hopcount/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import { HOUR_MS } from '../buckets.js';
import { enrichedVisit } from '../enriched-visit.spec-helpers.js';
import { randomHistory, randomSource } from '../ledger-history.spec-helpers.js';
import { idsOf, Ledger, noLock, pausePoint, pausingBeforeCommit, pausingOnceInserted } from '../ledger.spec-helpers.js';
import { VisitPurger, type VisitPurgerSettings } from './visit-purger.js';

const NOON = Date.parse('2026-09-10T12:00:00Z');
const RANGE = { from: NOON, to: NOON + 6 * HOUR_MS };
const INSTANT = NOON + 3 * HOUR_MS + 7 * 60_000 + 123;
const random = randomSource(16);
const NOT_ENDED = 'a commit that may not have seen it is still open';

describe('a purge, which waits for whoever may not have seen its mark', () => {
  let ledger: Ledger;
  let lastLink = 1000;
  let link: string;

  beforeAll(async () => {
    ledger = await Ledger.open();
  });
  afterAll(() => ledger.close());
  beforeEach(async () => {
    link = String((lastLink += 1));
    await ledger.addLink(link);
  });

  const purger = (settings: Partial<VisitPurgerSettings> = {}) =>
    new VisitPurger(ledger.database, noLock, { hasSlots: true, horizonWaitMs: 30_000, ...settings });
  const history = (count = 400) => randomHistory(random, link, RANGE, count, [INSTANT]);
  const later = (visits: ReturnType<typeof history>) => visits.filter((visit) => visit.occurredAtMs >= INSTANT);

  it('a commit that had looked at the link before the mark is waited for, and its visits go, too', async () => {
    const visits = [
      enrichedVisit({ linkId: link, atMs: INSTANT - 5 }),
      enrichedVisit({ linkId: link, atMs: INSTANT }),
      ...randomHistory(random, '999', RANGE, 3),
    ];
    const inserted = pausePoint();
    const slow = pausingOnceInserted(ledger.database, inserted);
    const committing = (await ledger.consumer(8, slow))(visits);
    await inserted.reached;
    const impatient = purger({ horizonWaitMs: 100 }).purge(link, { beforeMs: INSTANT });
    await expect(impatient).rejects.toMatchObject({ details: { reason: NOT_ENDED } });
    inserted.goOn();
    expect((await committing).inserted).toHaveLength(5);
    expect(await purger().purge(link, { beforeMs: INSTANT })).toBe(1);
    expect(await ledger.eventIds(link)).toEqual([visits[1]!.eventId]);
    expect(await ledger.differences()).toEqual([]);
  });

  it('G3: a commit that never ends bounds the wait; nothing comes back, and the job goes on later', async () => {
    const commit = await ledger.consumer();
    const visits = history();
    await commit(visits);
    const open = pausePoint();
    const hanging = (await ledger.consumer(8, pausingBeforeCommit(ledger.database, open)))([]);
    await open.reached;
    await expect(purger({ horizonWaitMs: 100 }).purge(link, { beforeMs: INSTANT })).rejects.toMatchObject({
      code: 'purge-unfinished',
      retryable: true,
      details: { deletedVisits: 0, reason: NOT_ENDED },
    });
    const late = enrichedVisit({ linkId: link, atMs: INSTANT - 9 });
    expect((await commit([late])).inserted).toEqual([]);
    open.goOn();
    await hanging;
    expect(await purger().finishAll({ idleMs: 3_600_000 })).toMatchObject({ finished: 0 });
    expect(await purger().finishAll({ idleMs: 0 })).toMatchObject({ finished: 1, left: 0 });
    expect(await ledger.count('unfinished_purges', link)).toBe(0);
    expect(await ledger.eventIds(link)).toEqual(idsOf(later(visits)));
    expect(await ledger.differences()).toEqual([]);
  });

  it('does not wait for a transaction that puts no visits in, however long it has been open and whatever it wrote', async () => {
    const visits = history();
    await (
      await ledger.consumer()
    )(visits);
    const open = pausePoint();
    const foreign = ledger.database.transaction(async (tx) => {
      await tx.query('SELECT pg_current_xact_id(), (SELECT count(*) FROM visits)');
      await open.pause();
    });
    await open.reached;
    const deleted = await purger({ horizonWaitMs: 2_000 }).purge(link, { beforeMs: INSTANT });
    expect(deleted).toBe(visits.length - later(visits).length);
    open.goOn();
    await foreign;
    expect(await ledger.differences()).toEqual([]);
  });

  it('waits for the commits of every partition that missed the mark, and for none that begins later', async () => {
    const paused = [pausePoint(), pausePoint(), pausePoint()];
    const missed = paused.map(() => [enrichedVisit({ linkId: link, atMs: INSTANT - 5 })]);
    const committing = [];
    for (const [index, point] of paused.entries()) {
      committing.push((await ledger.consumer(8, pausingOnceInserted(ledger.database, point)))(missed[index]!));
      await point.reached;
    }
    const purging = purger().purge(link, { beforeMs: INSTANT });
    const isMarked = async () => (await ledger.count('unfinished_purges', link)) === 1;
    await waitUntil(isMarked, { describe: 'the mark' });
    // A new partition, which is made after the mark and whose commit stays open.
    const newer = pausePoint();
    const visit = enrichedVisit({ linkId: link, atMs: INSTANT - 7 });
    const slow = pausingBeforeCommit(ledger.database, newer);
    const after = (await ledger.consumer(8, slow))([visit]);
    await newer.reached;
    for (const point of paused) point.goOn();
    expect(await purging).toBe(3);
    newer.goOn();
    expect(await after).toMatchObject({ inserted: [], purged: 1 });
    for (const one of committing) expect((await one).inserted).toHaveLength(1);
    expect(await ledger.eventIds(link)).toEqual([]);
    expect(await ledger.differences()).toEqual([]);
  });

  it('two at once, with commits of all partitions beside them, end without a deadlock', async () => {
    const commits = [await ledger.consumer(), await ledger.consumer(), await ledger.consumer()];
    const other = String((lastLink += 1));
    await ledger.addLink(other);
    let isOver = false;
    const committing = commits.map(async (commit) => {
      while (!isOver) await commit([enrichedVisit({ linkId: link, atMs: INSTANT - 5 })]);
    });
    for (let round = 0; round < 10; round += 1) {
      await Promise.all([link, other].map((one) => purger().purge(one, { beforeMs: INSTANT })));
    }
    isOver = true;
    await Promise.all(committing);
    await purger().purge(link, { beforeMs: INSTANT });
    expect(await ledger.eventIds(link)).toEqual([]);
    expect(await ledger.differences()).toEqual([]);
  });
});
