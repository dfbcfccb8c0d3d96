import { type Database, loadSql, postgresErrorCode, type Transaction } from '@hopcount/postgres';
import { failpoint } from '@hopcount/runtime';

import { HOST_LIMITS, HostAdder, type HostLimits, type KindName } from './add-hosts.js';

/** Nobody folds until the end of the transaction. */
export const LOCK_FOLD = "SELECT pg_advisory_xact_lock(hashtext('fold-hosts'))";
/** One portion may take longer than what the worker's other statements have. */
const BEGIN_FOLD = `SELECT set_config('lock_timeout', $1, true), set_config('statement_timeout', '2min', true)`;
/** lock_not_available */
const HELD_BY_OTHERS = '55P03';
const PICK_CHANGES = loadSql(import.meta.url, 'sql/pick-changes.sql');
const FIND_NEW_HOSTS = loadSql(import.meta.url, 'sql/find-new-hosts.sql');
const FOLD_CHANGES = loadSql(import.meta.url, 'sql/fold-changes.sql');
const EXPIRE_CHANGES = loadSql(import.meta.url, 'sql/expire-changes.sql');
const COUNT_WAITING = loadSql(import.meta.url, 'sql/count-waiting.sql');
const SET_FOLDED_TO = loadSql(import.meta.url, 'sql/set-folded-to.sql');

const FOLD_SETTINGS = {
  /** Of one transaction: rows, entries in them (at least one row), and names that are new. */
  changesAtOnce: 5_000,
  entriesAtOnce: 50_000,
  namesAtOnce: 20_000,
  /** Portions of one run. */
  foldsOfRun: 20,
  /** Whoever follows changes reads them within. */
  keptMinutes: 15,
  /**
   * For whoever holds the lock. Who waits has it next: others that take it again and again (merges of peers, quiet hosts) leave a turn to
   * a fold that waits, not to one that only looks whether it is free.
   */
  lockWaitMs: 5_000,
};
type HostFoldSettings = typeof FOLD_SETTINGS;
const EXPIRED_AT_ONCE = 5_000;

interface WaitingRow {
  waiting: number;
  first: string | null;
  last: string | null;
  at: string;
  /** What waits takes out all that was purged by then. */
  isAttributed: boolean;
}

interface HostFoldReport {
  /** Changes folded and removed, and hosts that are new. */
  folded: number;
  expired: number;
  hosts: number;
  /** Left for the next run. */
  waiting: number;
}

/**
 * Adds what commits and others said of hosts to `host_traffic` and `host_totals`. Each transaction folds some changes and marks them, so
 * changes that are not marked and traffic are what is counted, at every moment; PostgreSQL keeps two folders apart. New names come
 * before, in transactions of their own: a host without visits harms nobody, and a portion that fails later need not begin anew.
 */
export class HostFold {
  readonly #settings: HostFoldSettings & HostLimits;
  readonly #adder: HostAdder;
  /** Of what a portion may have: halved when one fails, down to a row, doubled when one succeeds. */
  #share = 1;
  /** A moment, and the last change that waited then. */
  #waited: (Pick<WaitingRow, 'at' | 'isAttributed'> & { last: bigint }) | undefined;

  constructor(
    private readonly database: Database,
    settings: Partial<HostFoldSettings & HostLimits> = {},
  ) {
    this.#settings = { ...HOST_LIMITS, ...FOLD_SETTINGS, ...settings };
    this.#adder = new HostAdder(this.#settings);
  }

  async fold(signal?: AbortSignal): Promise<HostFoldReport> {
    const report = { folded: 0, expired: 0, hosts: 0, waiting: 0 };
    for (let run = 0; run < this.#settings.foldsOfRun && signal?.aborted !== true; run += 1) {
      const { folded, hosts } = await this.#foldPortion(signal);
      report.folded += folded;
      report.hosts += hosts;
      if (folded === 0) break;
    }
    report.expired = await this.#expire();
    return { ...report, waiting: await this.#countWaiting() };
  }

  /** Once none is left of those that waited at a moment, everything committed before it is folded. @returns how many wait */
  async #countWaiting(): Promise<number> {
    const [row] = await this.database.query<WaitingRow>(COUNT_WAITING);
    if (row === undefined) return 0;
    const { waiting, first, last, at, isAttributed } = row;
    const isEmpty = first === null || last === null;
    let folded = isEmpty ? { at, isAttributed } : undefined;
    if (!isEmpty && this.#waited !== undefined && BigInt(first) > this.#waited.last) folded = this.#waited;
    if (folded !== undefined) await this.database.execute(SET_FOLDED_TO, [folded.at, folded.isAttributed]);
    if (isEmpty) this.#waited = undefined;
    else if (this.#waited === undefined || folded !== undefined)
      this.#waited = { at, isAttributed, last: BigInt(last) };
    return waiting;
  }

  async #foldPortion(signal?: AbortSignal): Promise<{ folded: number; hosts: number }> {
    const report = { folded: 0, hosts: 0 };
    try {
      const ids = await this.#pick();
      for (let isDone = ids.length === 0; !isDone && signal?.aborted !== true;) {
        const step = await this.database.transaction((tx) => this.#step(tx, ids));
        report.folded += step.folded;
        report.hosts += step.hosts;
        isDone = step.hosts === 0;
      }
    } catch (error) {
      if (postgresErrorCode(error) === HELD_BY_OTHERS) return report;
      this.#share = Math.max(this.#share / 2, 1 / this.#settings.entriesAtOnce);
      this.#adder.forget();
      throw error;
    }
    this.#share = Math.min(this.#share * 2, 1);
    return report;
  }

  async #pick(): Promise<string[]> {
    const { changesAtOnce, entriesAtOnce } = this.#settings;
    const rows = await this.database.query<{ id: string }>(PICK_CHANGES, [
      this.#portionOf(changesAtOnce),
      this.#portionOf(entriesAtOnce),
    ]);
    return rows.map(({ id }) => id);
  }

  /** Some of the new names of changes; once there are none, the changes. @throws 55P03: somebody else has the lock for long */
  async #step(tx: Transaction, ids: readonly string[]): Promise<{ folded: number; hosts: number }> {
    await tx.query(BEGIN_FOLD, [`${this.#settings.lockWaitMs}ms`]);
    await tx.query(LOCK_FOLD);
    const names = await tx.query<KindName>(FIND_NEW_HOSTS, [ids, this.#portionOf(this.#settings.namesAtOnce)]);
    if (names.length > 0) return { folded: 0, hosts: await this.#adder.add(tx, names) };
    failpoint('fold-hosts.mid-transaction');
    const [row] = await tx.query<{ rows: number }>(FOLD_CHANGES, [ids]);
    return { folded: row?.rows ?? 0, hosts: 0 };
  }

  #portionOf(most: number): number {
    return Math.max(1, Math.floor(most * this.#share));
  }

  async #expire(): Promise<number> {
    let expired = 0;
    for (let some = EXPIRED_AT_ONCE, run = 0; some === EXPIRED_AT_ONCE && run < this.#settings.foldsOfRun; run += 1) {
      some = (await this.database.execute(EXPIRE_CHANGES, [this.#settings.keptMinutes, EXPIRED_AT_ONCE])).affected;
      expired += some;
    }
    return expired;
  }
}
