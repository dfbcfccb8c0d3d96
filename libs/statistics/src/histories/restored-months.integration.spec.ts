import { DAY_MS, HOUR_MS, LedgerRetention, VisitEraser, VisitPurger } from '@hopcount/ledger';
import { noLock } from '@hopcount/ledger/spec-helpers';
import { describe, expect, it } from '@jest/globals';

import { relabel } from './relabelled-history.spec-helpers.js';
import { FROM, LINKS, ScopedHistory, SPAN } from './scoped-history.spec-helpers.js';

const JUNE = Date.UTC(2026, 5, 1);
const GROUPS = ['g-1', 'g-2', ''];
const STEPS = 12;

/** A month as it is in operation: dropped from its files' agreement on, and restored from them. */
class MonthHistory {
  readonly happened: Record<string, number> = {};

  private constructor(readonly visits: ScopedHistory) {}

  static async open(seed: number): Promise<MonthHistory> {
    const visits = await ScopedHistory.open(seed);
    await visits.ledger.server.query(`SELECT create_visit_partitions('2026-05-01Z', '2026-05-02Z')`);
    return new MonthHistory(visits);
  }

  get isDropped(): boolean {
    return this.visits.dropped === JUNE;
  }

  did(what: string, times = 1): void {
    this.happened[what] = (this.happened[what] ?? 0) + times;
  }

  async seal(): Promise<void> {
    await this.visits.files.seal(SPAN.to);
  }

  async drop(): Promise<void> {
    await this.seal();
    const retention = new LedgerRetention(this.visits.ledger.database, {
      ledgerDays: 45,
      archive: this.visits.files.archive,
    });
    const months = await retention.dropMonths(JUNE + 47 * DAY_MS, { attempts: 20, pauseMs: 20 });
    expect(months.find(({ month }) => month === '2026-05')).toEqual({ month: '2026-05', kept: null });
    this.visits.dropped = JUNE;
    this.did('dropped');
  }

  async restore(): Promise<void> {
    const { visits } = this;
    await this.seal();
    await visits.files.archive.restore(FROM, { keepUntilMs: 0 });
    visits.dropped = Number.NEGATIVE_INFINITY;
    // As the worker does: what a purge left of a bucket goes now that its halves can be told apart.
    await new VisitPurger(visits.ledger.database, noLock, { hasSlots: true }).finishAll({ idleMs: 0 });
    visits.visits = visits.visits.filter(({ linkId, occurredAtMs }) => occurredAtMs >= (visits.marks.get(linkId) ?? 0));
    this.did('restored');
  }

  async erase(visitor: string): Promise<void> {
    const { ledger, files } = this.visits;
    if (this.isDropped) await this.seal();
    const eraser = new VisitEraser(ledger.database, { hasSlots: true });
    const everything = { fromMs: Number.NEGATIVE_INFINITY, beforeMs: Infinity };
    const erasure = await eraser.mark({ person: 'visitor', hashes: [visitor], ...everything });
    await eraser.erase(erasure);
    const { failed } = await files.archive.erasePeople(erasure, eraser.inFiles(erasure));
    expect(failed).toEqual([]);
    await eraser.finish(erasure);
    this.visits.visits = this.visits.visits.filter((visit) => visit.visitor !== visitor);
    this.did(this.isDropped ? 'erasedFromFiles' : 'erased');
  }

  async step(): Promise<void> {
    const { visits, isDropped } = this;
    const { random } = visits;
    const drawn = random.below(10);
    if (drawn < 2) await visits.move(random.pick(LINKS), random.pick(GROUPS));
    else if (drawn < 4) await visits.purge(true);
    // For good: all that a link ever had.
    else if (drawn === 4) await visits.purge(true, { linkId: '5', beforeMs: SPAN.to });
    else if (drawn === 5) await this.seal();
    else if (drawn === 6) await this.erase(random.pick(visits.visits).visitor ?? '0');
    else if (drawn === 7 && isDropped) await this.restore();
    else if (drawn === 7) await this.drop();
    else if (drawn === 8) this.did('relabelled', await relabel(visits));
    // Late visits, and imports of old ones.
    else if (isDropped) await this.restore();
    else await visits.commit(20);
    if (drawn === 9) await visits.files.archive.merge(SPAN.to, Date.now());
    await visits.read();
  }
}

describe('random histories of months that are dropped and restored', () => {
  const happened: Record<string, number> = {};

  it.each([21, 22])(
    'every answer is a count over the visits that are left, or says that it is not exact (seed %d)',
    async (seed) => {
      const history = await MonthHistory.open(seed);
      const { visits } = history;
      try {
        await visits.commit(80);
        await history.drop();
        await visits.move('2', 'g-2');
        await visits.purge(true, { linkId: '2', beforeMs: FROM + 30 * HOUR_MS });
        await visits.read({ of: 'group', groupId: 'g-1' });
        for (let step = 0; step < STEPS; step += 1) await history.step();
        if (!history.isDropped) await history.drop();
        await visits.purge(true, { linkId: '3', beforeMs: FROM + 30 * HOUR_MS });
        await visits.move('3', 'g-1');
        await history.restore();
        for (const groupId of GROUPS) await visits.read({ of: 'group', groupId });
        expect(await visits.ledger.differences()).toEqual([]);
        await history.seal();
        expect((await visits.files.archive.verify(SPAN.to)).differences).toEqual([]);
      } finally {
        await visits.close();
      }
      for (const [what, times] of Object.entries({ ...history.happened, ...visits.happened, ...visits.hosts.happened }))
        happened[what] = (happened[what] ?? 0) + times;
    },
    240_000,
  );

  it('nothing that matters was left out', () => {
    const { dropped, restored, purgedDropped, purgedElsewhere, hostsInexact } = happened;
    expect([dropped, restored, purgedDropped, purgedElsewhere, hostsInexact].filter((times) => !times)).toEqual([]);
  });
});
