import { type Database, loadSql } from '@hopcount/postgres';

import { DAY_MS, hourOf, toIso } from '../buckets.js';
import {
  type DayOf,
  dayUnits,
  hourUnits,
  isWholeBuckets,
  openUnitStart,
  type TouchedHour,
  unitLimits,
} from './closed-units.js';
import { foldUnit, type Unit, type UnitKind } from './fold-unit.js';

const TAKE_HOURS = loadSql(import.meta.url, 'sql/take-hours.sql');
const TAKE_DAYS = loadSql(import.meta.url, 'sql/take-days.sql');
const PUT_BACK = loadSql(import.meta.url, 'sql/put-back.sql');
const FILTER_UNITS = loadSql(import.meta.url, 'sql/filter-units.sql');
const FIND_UNITS = loadSql(import.meta.url, 'sql/find-units.sql');

export interface FoldSettings {
  /** Days of the reporting zone: those are folded. */
  dayOf: DayOf;
  /** Visits from which a closed hour or day is worth a fold: below, reading the ledger is as fast. */
  hourThreshold?: number;
  dayThreshold?: number;
  /** How long after its end a unit counts as closed; most late visits have arrived by then. */
  graceMs?: number;
}

export interface FoldOptions {
  /** Runs `work` under a read lock of the links: keeps maintenance away, correctness never needs it. */
  withReadLock?: (linkIds: string[], work: () => Promise<void>) => Promise<void>;
  signal?: AbortSignal;
}

export interface FoldReport {
  hours: number;
  days: number;
  /** Units where ledger and buckets disagree (see FoldOutcome): must be 0. */
  mismatches: number;
  conflicts: number;
  /** Units that PostgreSQL refused; each is tried once in a call and found again by the next. */
  failed: Unit[];
  /** Something was left for the next call. */
  more: boolean;
}

/** Candidates taken at once, and rounds of one call: bounds the work of one run of the job. */
const CANDIDATES_PER_ROUND = 1_000;
const MAX_ROUNDS = 20;
const UNITS_PER_SEARCH = 500;

/**
 * Keeps the aggregates of closed units up to date. Any number of folders may run at once, at any moment
 * and in any order: a fold is valid by its checksum alone, and folding again changes nothing.
 */
export class UnitFolder {
  readonly #graceMs: number;

  constructor(
    private readonly database: Database,
    private readonly settings: FoldSettings,
  ) {
    this.#graceMs = settings.graceMs ?? 60_000;
  }

  /** Folds what the candidates name: their closed hours, and their days once those are closed. */
  async foldDue(now: number, options: FoldOptions = {}): Promise<FoldReport> {
    const report = emptyReport();
    const openHour = openUnitStart('hour', now, this.#graceMs, this.settings.dayOf);
    const openDay = openUnitStart('day', now, this.#graceMs, this.settings.dayOf);
    const toDays = (touched: TouchedHour[]) => dayUnits(touched, this.settings.dayOf, openDay);
    try {
      await this.#foldCandidates(TAKE_HOURS, openHour, hourUnits, report, options);
      await this.#foldCandidates(TAKE_DAYS, openDay, toDays, report, options);
    } finally {
      // Only now: put back earlier, they would be the next to be taken, and the others would wait for them.
      await this.#putBack(report.failed);
    }
    return report;
  }

  /**
   * Folds every hour and day that lies in [from, to) and has a visit, whatever its size: before that part
   * of the ledger is dropped. A day across one of the limits is left to its hours.
   */
  async foldRange(from: number, to: number, options: FoldOptions = {}): Promise<FoldReport> {
    const report = emptyReport();
    for (const kind of ['hour', 'day'] as const) {
      await this.#foldFound(kind, unitLimits(kind, { from, to }, this.settings.dayOf), 1, report, options);
    }
    return report;
  }

  /** Finds closed units of the last `days` from the buckets alone; makes up for candidates a crash lost. */
  async sweep(now: number, options: FoldOptions & { days?: number } = {}): Promise<FoldReport> {
    const report = emptyReport();
    const from = now - (options.days ?? 7) * DAY_MS;
    for (const kind of ['hour', 'day'] as const) {
      const to = openUnitStart(kind, now, this.#graceMs, this.settings.dayOf);
      if (from >= to) continue;
      const limits = unitLimits(kind, { from, to }, this.settings.dayOf);
      await this.#foldFound(kind, limits, this.#threshold(kind), report, options);
    }
    return report;
  }

  /** The one place that says which units are worth a fold; the heat of a link will weigh in here. */
  #threshold(kind: UnitKind): number {
    return kind === 'hour' ? (this.settings.hourThreshold ?? 500) : (this.settings.dayThreshold ?? 50);
  }

  async #foldCandidates(
    take: string,
    openStart: number,
    toUnits: (touched: TouchedHour[]) => Unit[],
    report: FoldReport,
    options: FoldOptions,
  ): Promise<void> {
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      if (options.signal?.aborted === true) break;
      const rows = await this.database.query<{ link_id: string; hour: Date }>(take, [
        toIso(openStart),
        CANDIDATES_PER_ROUND,
      ]);
      const touched = rows.map((row) => ({ linkId: row.link_id, hour: row.hour.getTime() }));
      await this.#foldTaken(toUnits(touched), report, options);
      if (rows.length < CANDIDATES_PER_ROUND) return;
    }
    report.more = true;
  }

  async #foldTaken(units: Unit[], report: FoldReport, options: FoldOptions): Promise<void> {
    const left = new Set<Unit>(units);
    try {
      const wanted = new Set(await this.#filter(units));
      for (const unit of units) if (!wanted.has(unit)) left.delete(unit);
      await this.#foldAll([...wanted], report, options, (unit) => left.delete(unit));
    } finally {
      // Also after an error: what was taken and not folded must be found again.
      if (left.size > 0) {
        report.more = true;
        await this.#putBack([...left]);
      }
    }
  }

  async #filter(units: readonly Unit[]): Promise<Unit[]> {
    const [first] = units;
    if (first === undefined) return [];
    const rows = await this.database.query<{ link_id: string; unit_start: Date }>(FILTER_UNITS, [
      first.kind,
      units.map((unit) => unit.linkId),
      units.map((unit) => toIso(unit.from)),
      units.map((unit) => toIso(unit.to)),
      this.#threshold(first.kind),
    ]);
    const wanted = new Set(rows.map((row) => `${row.link_id} ${row.unit_start.getTime()}`));
    return units.filter((unit) => wanted.has(`${unit.linkId} ${unit.from}`));
  }

  async #foldFound(
    kind: UnitKind,
    limits: readonly number[],
    threshold: number,
    report: FoldReport,
    options: FoldOptions,
  ): Promise<void> {
    while (limits.length > 1) {
      const rows = await this.database.query<{ link_id: string; unit_start: Date; unit_end: Date }>(FIND_UNITS, [
        kind,
        limits.map(toIso),
        threshold,
        UNITS_PER_SEARCH,
      ]);
      const units = rows.map((row) => ({
        kind,
        linkId: row.link_id,
        from: row.unit_start.getTime(),
        to: row.unit_end.getTime(),
      }));
      const hasFailed = (unit: Unit) =>
        report.failed.some((one) => one.linkId === unit.linkId && one.from === unit.from);
      const folded = await this.#foldAll(
        units.filter((unit) => isWholeBuckets(unit) && !hasFailed(unit)),
        report,
        options,
      );
      if (rows.length < UNITS_PER_SEARCH) return;
      // Only units that cannot be folded are left in front: searching again would find the same.
      if (folded === 0) {
        report.more = true;
        return;
      }
    }
  }

  /** @returns how many were folded */
  async #foldAll(
    units: readonly Unit[],
    report: FoldReport,
    options: FoldOptions,
    settled: (unit: Unit) => void = () => undefined,
  ): Promise<number> {
    let folded = 0;
    const work = async () => {
      for (const unit of units) {
        if (options.signal?.aborted === true) {
          report.more = true;
          return;
        }
        const outcome = await foldUnit(this.database, unit);
        if (outcome === 'conflict') report.conflicts += 1;
        else settled(unit);
        if (outcome === 'failed') report.failed.push(unit);
        if (outcome === 'mismatch') report.mismatches += 1;
        if (outcome !== 'folded') continue;
        folded += 1;
        if (unit.kind === 'hour') report.hours += 1;
        else report.days += 1;
      }
    };
    const linkIds = [...new Set(units.map((unit) => unit.linkId))];
    if (linkIds.length === 0) return 0;
    await (options.withReadLock ? options.withReadLock(linkIds, work) : work());
    return folded;
  }

  /** A failure to do so is none of the fold: the sweep at the next start finds them. */
  async #putBack(units: readonly Unit[]): Promise<void> {
    if (units.length === 0) return;
    await this.database
      .query(PUT_BACK, [units.map((unit) => unit.linkId), units.map((unit) => toIso(hourOf(unit.from)))])
      .catch(() => undefined);
  }
}

function emptyReport(): FoldReport {
  return { hours: 0, days: 0, mismatches: 0, conflicts: 0, failed: [], more: false };
}
