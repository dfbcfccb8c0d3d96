import { CLASS_REASONS, type Channel, visitClassFromNumber, visitClassNumber } from '@hopcount/contracts';
import { type Database, loadSql, postgresErrorCode, type Queryable, type Transaction } from '@hopcount/postgres';
import { AppError, failpoint } from '@hopcount/runtime';

import { type InstantRange, toIso } from '../buckets.js';
import { ENRICHMENT_VERSION } from '../commit/enriched-visit.js';
import { LEDGER_ERRORS } from '../ledger.errors.js';
import { expiredMonths, openMonth } from '../retention/ledger-months.js';
import { applyLabels } from './apply-labels.js';
import { ClassMoves } from './class-moves.js';
import type { LabelRules, StoredOrigin } from './label-rules.js';
import { lockRun, unfinished } from './lock-run.js';

const OPEN_RUN = loadSql(import.meta.url, 'sql/open-run.sql');
const READ_RUN = loadSql(import.meta.url, 'sql/read-run.sql');
const READ_VISITS = loadSql(import.meta.url, 'sql/read-visits.sql');
const STAGE_VISITS = loadSql(import.meta.url, 'sql/stage-visits.sql');
const MOVE_ON = loadSql(import.meta.url, 'sql/move-on.sql');
/** A month that was dropped once and is back has rows that were not read. */
const NOTE_KEPT_FROM = `UPDATE relabels SET kept_from = greatest(kept_from, (SELECT kept_from FROM ledger_retention))
  WHERE id = $1 AND ended_at IS NULL`;
const END_RUN = loadSql(import.meta.url, 'sql/end-run.sql');
const EMPTY = 'TRUNCATE relabel_visits, relabel_files, relabel_moves';
const NO_HURRY = `SELECT set_config('statement_timeout', '30min', true)`;
/** That of restoreMonth: it copies rows of files as they were. */
const NO_RESTORE = "SELECT pg_try_advisory_xact_lock(hashtext('restore-month')) AS locked";
const READ_KEPT_FROM = `SELECT coalesce(kept_from < $1::timestamptz, false) AS "isRestored" FROM ledger_retention FOR SHARE`;
const LOCK_MANIFEST = "SELECT pg_advisory_xact_lock(hashtext('archive-manifest'))";
const ANY_FILE = "SELECT FROM archive_files WHERE state = 'active' LIMIT 1";
const CONFLICT_RETRIES = 4;
const FIND_CLOSED = `SELECT relname AS name FROM pg_constraint JOIN pg_class ON pg_class.oid = conrelid
  WHERE conname = 'closed' AND relname LIKE 'visits\\_%'`;
const REFUSED = '23514';
const ZERO_ID = '00000000-0000-0000-0000-000000000000';

/** Rows of the ledger, and sums of files, that one run may change: so long does its last transaction take. */
const MOST_CHANGES = 1_000_000;
const VISITS_AT_ONCE = 20_000;

export interface RelabelRun {
  id: string;
  range: InstantRange;
}

interface RunRow {
  id: string;
  from: Date;
  to: Date;
  rules: number;
  keptFrom: string | null;
  readToTime: string;
  readToId: string;
  visits: number;
  staged: number;
}

interface VisitRow extends StoredOrigin {
  occurredAt: string;
  eventId: string;
  class: number;
  classReason: number | null;
  channel: string | null;
  userAgent: string | null;
  isAnonymous: boolean;
}

interface StagedVisit {
  row: VisitRow;
  class: number;
  reason: number;
  channel: Channel;
}

export interface VisitRelabelerSettings {
  /** False with SLOTS=off. */
  hasSlots: boolean;
  /** Tests only. */
  visitsAtOnce?: number;
  mostChanges?: number;
}

/**
 * Gives history the labels that today's rules give: class, its reason, channel.
 *
 * open → read (the ledger here, files in the archive; what changes is kept aside) → switched, in one transaction over all
 * of the range. So an answer has labels of before or of after, whatever it reads. Cut short anywhere before the switch,
 * nothing changed but what is aside, and the same again goes on. Visits that are counted meanwhile have the labels of their consumer.
 */
export class VisitRelabeler {
  constructor(
    private readonly database: Database,
    private readonly rules: LabelRules,
    private readonly settings: VisitRelabelerSettings,
  ) {}

  /** Goes on with the open run if it is the same, else begins one in its place. */
  async open(range: InstantRange): Promise<RelabelRun> {
    const open = await this.#openRun();
    if (open !== undefined && !isOf(open, range)) await this.giveUp(open);
    await this.database.query(OPEN_RUN, [toIso(range.from), toIso(range.to), ENRICHMENT_VERSION]);
    const run = await this.#openRun();
    if (run === undefined || !isOf(run, range)) throw unfinished('Another one has just been begun or ended.');
    return { id: run.id, range };
  }

  /** Reads what the ledger has of the range; what changes is kept aside. @returns how many visits that is */
  async read(run: RelabelRun, onProgress?: (visits: number) => void): Promise<number> {
    for (;;) {
      const row = await this.#expectOpen(this.database, run);
      this.expectFew(row.staged);
      const visits = await this.#next(row, row.to);
      const last = visits.at(-1);
      if (last === undefined) {
        await this.database.query(NOTE_KEPT_FROM, [run.id]);
        await this.#openMonths(run.range);
        return row.visits;
      }
      const staged = this.#changing(visits);
      await this.database.transaction(async (tx) => {
        const position = [row.readToTime, row.readToId, last.occurredAt, last.eventId, visits.length];
        const moved = await tx.query(MOVE_ON, [run.id, ...position]);
        if (moved.length === 0) throw unfinished('Another process goes on with it.');
        await tx.query(STAGE_VISITS, [
          staged.map((one) => one.row.occurredAt),
          staged.map((one) => one.row.eventId),
          staged.map((one) => one.row.class),
          staged.map((one) => one.class),
          staged.map((one) => one.reason),
          staged.map((one) => one.channel),
        ]);
      });
      failpoint('relabel.between-batches');
      onProgress?.(row.visits + visits.length);
    }
  }

  /** What `read` would keep aside. Changes nothing. */
  async plan({ from, to }: InstantRange, onProgress?: (visits: number) => void) {
    const moves = new ClassMoves();
    const plan = { visits: 0, changing: 0, moves };
    const position = { readToTime: toIso(from), readToId: ZERO_ID };
    for (;;) {
      const visits = await this.#next(position, new Date(to));
      const last = visits.at(-1);
      if (last === undefined) return plan;
      const changing = this.#changing(visits);
      for (const one of changing) moves.add(one.row.class, one.class);
      plan.visits += visits.length;
      plan.changing += changing.length;
      position.readToTime = last.occurredAt;
      position.readToId = last.eventId;
      onProgress?.(plan.visits);
    }
  }

  /** Of a run, while what its files move is kept aside. @throws AppError `relabel-too-large`, `relabel-unfinished` */
  async expectFewAside(run: RelabelRun): Promise<void> {
    this.expectFew((await this.#expectOpen(this.database, run)).staged);
  }

  /** @throws AppError `relabel-too-large` */
  expectFew(changes: number): void {
    if (changes <= (this.settings.mostChanges ?? MOST_CHANGES)) return;
    throw new AppError('relabel-too-large', LEDGER_ERRORS['relabel-too-large'], { details: { changes } });
  }

  /** The last step where there is no archive. @returns as `switch` */
  async switchAlone(run: RelabelRun): Promise<number> {
    return this.database.transaction(
      async (tx) => {
        await tx.query(LOCK_MANIFEST);
        if ((await tx.query(ANY_FILE)).length > 0) throw unfinished('The first files of an archive came meanwhile.');
        return this.switch(tx, run);
      },
      { conflictRetries: CONFLICT_RETRIES },
    );
  }

  /**
   * The last step, as part of a transaction that replaces the files as well. @returns how many visits have another class now
   * @throws AppError `relabel-unfinished`, `relabel-too-large`: nothing was changed
   */
  async switch(tx: Transaction, run: RelabelRun): Promise<number> {
    await lockRun(tx, run);
    await tx.query(NO_HURRY);
    const [lock] = await tx.query<{ locked: boolean }>(NO_RESTORE);
    if (lock?.locked !== true) throw unfinished('A month is being restored right now.');
    const row = await this.#expectOpen(tx, run);
    this.expectFew(row.staged);
    const [kept] = await tx.query<{ isRestored: boolean }>(READ_KEPT_FROM, [row.keptFrom]);
    if (kept?.isRestored === true) throw unfinished('A month was restored meanwhile: begin again with --start-over.');
    const changed = await applyLabels(tx, run.range, this.settings.hasSlots).catch((error: unknown) => {
      if (postgresErrorCode(error) !== REFUSED) throw error;
      throw unfinished('A month was about to be dropped: run the same command again.');
    });
    await this.#end(tx, run, changed);
    failpoint('relabel.before-commit');
    return changed;
  }

  /** What is aside goes; history stays as it is. */
  async giveUp(run?: Pick<RelabelRun, 'id'>): Promise<void> {
    const open = run ?? (await this.#openRun());
    if (open !== undefined) await this.database.transaction((tx) => this.#end(tx, open, null));
  }

  async #end(tx: Transaction, { id }: Pick<RelabelRun, 'id'>, changed: number | null): Promise<void> {
    if ((await tx.query(END_RUN, [id, changed])).length === 0) throw unfinished('Another process ended it.');
    await tx.query(EMPTY);
  }

  /** A month that waits to be dropped takes no rows, nor other labels: it is looked at anew. */
  async #openMonths({ from, to }: InstantRange): Promise<void> {
    const closed = await this.database.query<{ name: string }>(FIND_CLOSED);
    const months = expiredMonths(
      closed.map(({ name }) => name),
      Number.POSITIVE_INFINITY,
    );
    for (const { fromMs, toMs } of months) if (fromMs < to && toMs > from) await openMonth(this.database, fromMs);
  }

  async #openRun(queryable: Queryable = this.database): Promise<RunRow | undefined> {
    const [row] = await queryable.query<RunRow>(READ_RUN);
    return row;
  }

  async #expectOpen(queryable: Queryable, { id }: RelabelRun): Promise<RunRow> {
    const row = await this.#openRun(queryable);
    if (row?.id !== id) throw unfinished('Another process ended it.');
    return row;
  }

  #next({ readToTime, readToId }: Pick<RunRow, 'readToTime' | 'readToId'>, to: Date): Promise<VisitRow[]> {
    const limit = this.settings.visitsAtOnce ?? VISITS_AT_ONCE;
    return this.database.query<VisitRow>(READ_VISITS, [readToTime, readToId, toIso(to.getTime()), limit]);
  }

  #changing(visits: readonly VisitRow[]): StagedVisit[] {
    return visits.flatMap((row) => {
      const classReason = row.classReason === null ? null : (CLASS_REASONS[row.classReason] ?? null);
      const judged = this.rules.classOf({ ...row, class: visitClassFromNumber(row.class), classReason });
      const channel = this.rules.channelOf(row);
      const staged = {
        row,
        class: visitClassNumber(judged.class),
        reason: CLASS_REASONS.indexOf(judged.reason),
        channel,
      };
      const isSame = staged.class === row.class && staged.reason === row.classReason && channel === row.channel;
      return isSame ? [] : [staged];
    });
  }
}

function isOf({ rules, from, to }: RunRow, range: InstantRange): boolean {
  return rules === ENRICHMENT_VERSION && from.getTime() === range.from && to.getTime() === range.to;
}
