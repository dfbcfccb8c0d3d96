import {
  BUCKET_MS,
  bucketOf,
  DAY_MS,
  HostFold,
  HOUR_MS,
  LedgerRebuild,
  LedgerRetention,
  openMonth,
  VisitPurger,
} from '@hopcount/ledger';
import { Ledger, noLock, randomSource } from '@hopcount/ledger/spec-helpers';
import { expect } from '@jest/globals';

import { ReadArchive } from '../archive.spec-helpers.js';
import { dayOf } from '../range/intervals.js';
import { type ScopedVisit, variedVisit } from './scope-model.spec-helpers.js';

const APRIL = Date.parse('2026-04-01T00:00:00Z');
const MAY = Date.parse('2026-05-01T00:00:00Z');
export const JUNE = Date.parse('2026-06-01T00:00:00Z');
export const ALL = { from: Date.parse('2026-04-29T00:00:00Z'), to: Date.parse('2026-05-03T00:00:00Z') };
/** Hours with visits: few, since each is a file; of both months. */
const HOURS = [5, 30, 47, 48, 60, 90].map((hour) => ALL.from + hour * HOUR_MS);
export const LINKS = ['1', '2', '3', '4'];
export const GROUPS = ['g-1', 'g-2', ''];

/** Two months whose rows are dropped and restored, links that change their group, and purges: beside a list of the visits that are left. */
export class SumsHistory {
  visits: ScopedVisit[] = [];
  /** Older visits are stored only in files. */
  keptFrom = APRIL;
  readonly happened: Record<string, number> = {};
  readonly #groups = new Map<string, string>();
  readonly #marks = new Map<string, number>();
  readonly #fold: HostFold;

  private constructor(
    readonly ledger: Ledger,
    readonly files: ReadArchive,
    readonly random: ReturnType<typeof randomSource>,
    private readonly consume: Awaited<ReturnType<Ledger['consumer']>>,
  ) {
    this.#fold = new HostFold(ledger.database);
  }

  static async open(seed: number): Promise<SumsHistory> {
    const ledger = await Ledger.open();
    await ledger.server.query(`SELECT create_visit_partitions('2026-04-01Z', '2026-05-02Z')`);
    await ledger.server.query(`INSERT INTO domains (authority) VALUES ('two.test')`);
    await ledger.server.query(`INSERT INTO groups (id, name) VALUES ('g-1', '1'), ('g-2', '2')`);
    await ledger.server.query(
      `INSERT INTO links (id, domain_id, code, long_url)
       SELECT n, 1 + n % 2, n, 'https://example.com/' FROM unnest($1::bigint[]) AS n`,
      [LINKS],
    );
    const files = new ReadArchive(ledger.database, { maxFileBytes: 1 });
    const history = new SumsHistory(ledger, files, randomSource(seed), await ledger.consumer());
    await history.move('1', 'g-1');
    await history.move('2', 'g-2');
    return history;
  }

  async close(): Promise<void> {
    await this.files.close();
    await this.ledger.close();
  }

  did(what: string): void {
    this.happened[what] = (this.happened[what] ?? 0) + 1;
  }

  async move(linkId: string, groupId: string): Promise<void> {
    const group = groupId === '' ? null : groupId;
    await this.ledger.server.query('UPDATE links SET group_id = $2 WHERE id = $1', [linkId, group]);
    this.#groups.set(linkId, groupId);
  }

  /** Visits of hours that the ledger has, some of them late. */
  async commit(count: number, hours: readonly number[] = HOURS): Promise<void> {
    const { random } = this;
    const open = hours.filter((hour) => hour >= this.keptFrom);
    if (open.length === 0) return;
    const visits = Array.from({ length: count }, () =>
      variedVisit(random, random.pick(LINKS), random.pick(open) + random.below(HOUR_MS)),
    );
    const inserted = new Set((await this.consume(visits)).inserted);
    for (const visit of visits) {
      if (!inserted.has(visit.eventId)) continue;
      const groupId = this.#groups.get(visit.linkId) ?? '';
      this.visits.push({ ...visit, domainId: 1 + (Number(visit.linkId) % 2), groupId, importedFrom: null });
    }
  }

  /** As the worker makes months take visits of an import: those after the wanted one are restored, too. */
  async importOld(count: number): Promise<void> {
    const hour = this.random.pick(HOURS);
    if (hour < this.keptFrom) this.did('imported into a dropped month');
    while (hour < this.keptFrom) await this.restore();
    for (const month of [APRIL, MAY]) if (month >= this.keptFrom) await openMonth(this.ledger.database, month);
    await this.commit(count, [hour]);
  }

  /** All that a link had, or what was before an instant: of a dropped month whole quarter hours. */
  async purge(linkId: string, beforeMs: number): Promise<void> {
    const before = Math.max(beforeMs, this.#marks.get(linkId) ?? 0);
    this.#marks.set(linkId, before);
    const endOf = ({ occurredAtMs }: ScopedVisit) =>
      occurredAtMs < this.keptFrom ? bucketOf(occurredAtMs) + BUCKET_MS : occurredAtMs + 1;
    const isGone = (visit: ScopedVisit) => visit.linkId === linkId && endOf(visit) <= before;
    const gone = this.visits.filter(isGone);
    const dropped = gone.filter(({ occurredAtMs }) => occurredAtMs < this.keptFrom);
    if (dropped.length > 0) this.did('purged from a dropped month');
    if (dropped.some(({ groupId }) => groupId !== this.#groups.get(linkId))) this.did('purged from another group');
    await new VisitPurger(this.ledger.database, noLock, { hasSlots: true }).purge(linkId, { beforeMs: before });
    this.visits = this.visits.filter((visit) => !isGone(visit));
  }

  async seal(): Promise<void> {
    await this.files.seal(JUNE);
  }

  /** April, or April and May. */
  async drop(isBoth: boolean): Promise<void> {
    await this.seal();
    const end = isBoth ? JUNE : MAY;
    if (this.keptFrom >= end) return;
    await this.ledger.server.query('UPDATE ledger_retention SET restored_until = NULL');
    const retention = new LedgerRetention(this.ledger.database, { ledgerDays: 30, archive: this.files.archive });
    const reports = await retention.dropMonths(end + 33 * DAY_MS, { attempts: 20, pauseMs: 20 });
    expect(reports.filter(({ kept }) => kept !== null)).toEqual([]);
    this.keptFrom = end;
    this.did('dropped');
  }

  /** The month that was dropped last. A second time it is refused, and nothing changes. */
  async restore(): Promise<void> {
    if (this.keptFrom === APRIL) return;
    await this.seal();
    const instant = this.keptFrom - 1;
    await this.files.archive.restore(instant, { keepUntilMs: 0 });
    this.keptFrom = this.keptFrom === JUNE ? MAY : APRIL;
    await expect(this.files.archive.restore(instant, { keepUntilMs: 0 })).rejects.toMatchObject({
      code: 'month-not-restorable',
    });
    await this.#finishPurges();
    this.did('restored');
  }

  async #finishPurges(): Promise<void> {
    await new VisitPurger(this.ledger.database, noLock, { hasSlots: true }).finishAll({ idleMs: 0 });
    const isLeft = ({ linkId, occurredAtMs }: ScopedVisit) =>
      occurredAtMs < this.keptFrom || occurredAtMs >= (this.#marks.get(linkId) ?? 0);
    this.visits = this.visits.filter(isLeft);
  }

  async addUpDays(): Promise<void> {
    const dayAt = (instant: number) => dayOf(instant, 'UTC');
    await this.files.archive.aggregateDays({ dayOf: dayAt, closedBefore: JUNE, nowMs: Date.now() });
  }

  async fold(): Promise<void> {
    await this.#fold.fold();
  }

  /** What the worker does until nothing is left to do. */
  async settle(): Promise<void> {
    await this.#finishPurges();
    await this.seal();
    await this.addUpDays();
    while ((await this.#fold.fold()).folded > 0);
  }

  /** As `hopcount rebuild --all` does. */
  async rebuild(): Promise<void> {
    const rebuild = new LedgerRebuild(this.ledger.database);
    await rebuild.rebuildLinks(LINKS);
    await rebuild.rebuildScopes();
    await rebuild.rebuildHosts();
    expect((await this.files.archive.rebuildSums()).failed).toEqual([]);
    await rebuild.dropWrongDays();
    this.did('rebuilt');
  }

  async step(): Promise<void> {
    const { random } = this;
    const drawn = random.below(12);
    if (drawn < 2) await this.move(random.pick(LINKS), random.pick(GROUPS));
    else if (drawn < 4) await this.purge(random.pick(LINKS), random.pick(HOURS) + random.below(HOUR_MS));
    else if (drawn === 4) await this.purge(random.pick(LINKS.slice(2)), JUNE);
    else if (drawn === 5) await this.seal();
    else if (drawn < 8) await this.drop(random.below(2) === 0);
    else if (drawn === 8) await this.restore();
    else if (drawn === 9) await this.importOld(8);
    else if (drawn === 10) await this.addUpDays();
    else await this.commit(12);
    if (random.below(3) === 0) await this.fold();
    if (random.below(6) === 0) await this.rebuild();
    if (random.below(6) === 0) await this.files.archive.merge(JUNE, Date.now());
  }
}
