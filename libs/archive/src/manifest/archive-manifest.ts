import { type InstantRange, toIso } from '@hopcount/ledger';
import { type Database, loadSql, type Queryable, type Transaction } from '@hopcount/postgres';
import { AppError } from '@hopcount/runtime';

import { ARCHIVE_ERRORS } from '../archive.errors.js';
import type { ExpectUnchanged } from '../store/archive-store.js';
import type { ArchiveFile, NewArchiveFile } from './archive-file.js';
import { type DamagedFile, listDamaged } from './damaged-file.js';
import { areTheFiles, insertFile, listFiles, pageFiles } from './file-rows.js';

const DIFFERING_HOURS = loadSql(import.meta.url, 'sql/differing-hours.sql');
const LATE_DAYS = loadSql(import.meta.url, 'sql/late-days.sql');
const REINSTATE_FILES = loadSql(import.meta.url, 'sql/reinstate-files.sql');
const FIND_BEGIN = `SELECT least(
    (SELECT min(occurred_at) FROM visits), (SELECT min(period_start) FROM archive_files WHERE state = 'active')
  ) AS from_time`;
const OLDEST_CHECK = `SELECT coalesce(extract(epoch FROM now() - min(checked_at)), 0)::float8 AS seconds
  FROM archive_files WHERE state = 'active'`;
const SUMMARISE_FILES = loadSql(import.meta.url, 'sql/summarise-files.sql');
/** `also` may take sums of many links away, beside commits that add to them. */
const CONFLICT_RETRIES = 4;
const LOCK_MANIFEST = `SELECT pg_advisory_xact_lock(hashtext('archive-manifest'))`;
const SET_FOLDER = `INSERT INTO archive_folder (id) VALUES ($1)
  ON CONFLICT (singleton) DO UPDATE SET id = excluded.id`;
const EXPIRE_FILES = loadSql(import.meta.url, 'sql/expire-files.sql');
const END_FILES = `UPDATE archive_files SET state = $2, replaced_by = $3, ended_at = now()
  WHERE id = ANY ($1::uuid[]) AND state = 'active'`;

/** Beyond any visit, within what PostgreSQL and Date both know. */
export const ALL_TIME: InstantRange = { from: 0, to: Date.UTC(9999, 0) };

export interface DifferingHour {
  hour: number;
  /** What the buckets say. */
  visits: number;
  /** Files hold something of it. */
  filed: boolean;
  /** Something can be done about it. */
  isDue: boolean;
}

export interface FilesSummary {
  files: number;
  visits: number;
  bytes: number;
}

/** What takes the place of what, all in one transaction. */
export interface ManifestChange {
  /** undefined: no visit of the replaced files is left to keep. */
  add: NewArchiveFile | undefined;
  /** Active until now, or nothing happens. */
  replace: readonly string[];
  /** Set where rows are added: exactly these files are active in the period, or nothing happens. */
  among?: ReadonlySet<string>;
  incarnation: string;
  /** Set where rows of the ledger are added: which labels it had as they were read. */
  labels?: string | undefined;
  /** Of the folder the file was written to. */
  folderId: string | undefined;
  /** What else changes in that transaction. */
  also?: ((tx: Transaction) => Promise<void>) | undefined;
  /** Of the files that all this was read from; the last step before the COMMIT. */
  expectUnchanged: ExpectUnchanged;
}

export interface ManifestExchange {
  range: InstantRange;
  /** All active ones of the range by their ids, and what takes the place of each; undefined: it stays. */
  files: ReadonlyMap<string, NewArchiveFile | undefined>;
  incarnation: string;
  folderId: string | undefined;
  also: (tx: Transaction) => Promise<void>;
}

/** Which files count. All writers take one lock, so that no visit is ever in two active files. */
export class ArchiveManifest {
  constructor(private readonly database: Database) {}

  async incarnation(): Promise<string> {
    const [row] = await this.database.query<{ incarnation: string }>('SELECT incarnation FROM ledger_incarnation');
    if (row === undefined) throw new Error('ledger_incarnation has no row');
    return row.incarnation;
  }

  /** The incarnation the ledger is in and the one it began with: restored ones lose what was between. */
  async lives(): Promise<string[]> {
    const rows = await this.database.query<{ life: string }>(
      'SELECT unnest(ARRAY[incarnation, first_incarnation]) AS life FROM ledger_incarnation',
    );
    return rows.map(({ life }) => life);
  }

  /** Changes whenever visits in the ledger and in files get other labels. */
  async labels(queryable: Queryable = this.database): Promise<string> {
    const [row] = await queryable.query<{ generation: string }>(
      'SELECT generation::text AS generation FROM ledger_labels',
    );
    if (row === undefined) throw new Error('ledger_labels has no row');
    return row.generation;
  }

  /** Of the folder that holds the files; undefined before the first sealing. */
  async folderId(): Promise<string | undefined> {
    const [row] = await this.database.query<{ id: string }>('SELECT id FROM archive_folder');
    return row?.id;
  }

  /** Makes another folder the archive's; `idOf` says which. @returns false where files count: nothing was changed */
  async moveTo(idOf: () => Promise<string>): Promise<boolean> {
    return this.database.transaction(async (tx) => {
      await tx.query(LOCK_MANIFEST);
      const active = await tx.query(`SELECT FROM archive_files WHERE state = 'active' LIMIT 1`);
      if (active.length > 0) return false;
      await tx.query(SET_FOLDER, [await idOf()]);
      return true;
    });
  }

  /** Files that may hold visits of the range, by time. */
  async files(range: InstantRange, through: Queryable = this.database): Promise<ArchiveFile[]> {
    return listFiles(through, range, ['active']);
  }

  async isActive(id: string): Promise<boolean> {
    return (await this.database.query(`SELECT FROM archive_files WHERE id = $1 AND state = 'active'`, [id])).length > 0;
  }

  /** Whether all of these were set aside: others were replaced, and may be gone for that reason. */
  async areDamaged(ids: readonly string[]): Promise<boolean> {
    const select = `SELECT FROM archive_files WHERE id = ANY ($1::uuid[]) AND state = 'damaged'`;
    return (await this.database.query(select, [ids])).length === ids.length;
  }

  /** Files on disk, whatever became of them, the oldest period first. */
  async allFiles(): Promise<ArchiveFile[]> {
    return listFiles(this.database, ALL_TIME, ['active', 'replaced', 'damaged', 'expired']);
  }

  /** Those files in pages, the newest period first. @param after the last of the page before */
  async page(after: { from: number; id: string } | null, limit: number): Promise<ArchiveFile[]> {
    return pageFiles(this.database, after, limit);
  }

  /** What a file was said to hold when it was sealed. */
  async hoursOf(id: string, through: Queryable = this.database): Promise<NewArchiveFile['hours']> {
    const rows = await through.query<{ hour: Date; visits: number; checksum: string }>(
      'SELECT hour, visits::float8 AS visits, checksum::text AS checksum FROM archive_file_hours WHERE file_id = $1 ORDER BY hour',
      [id],
    );
    return rows.map(({ hour, visits, checksum }) => ({ hour: hour.getTime(), visits, checksum: BigInt(checksum) }));
  }

  /** Hours (their starts) that begin in the range and are not in files as the buckets have them. */
  async dueHours(range: InstantRange, through: Queryable = this.database): Promise<number[]> {
    return (await this.due(range, through)).map(({ hour }) => hour);
  }

  /** Days (their starts, UTC) of which some visits came or went since they were sealed, the latest first: cheap, for years of them. */
  async lateDays({ from, to }: InstantRange): Promise<number[]> {
    const rows = await this.database.query<{ day: Date }>(LATE_DAYS, [toIso(from), toIso(to)]);
    return rows.map(({ day }) => day.getTime());
  }

  /** The same, ascending, with what is known of each. */
  async due(range: InstantRange, through: Queryable = this.database): Promise<DifferingHour[]> {
    return (await this.differing(range, through)).filter(({ isDue }) => isDue);
  }

  /** Also those of which nobody has all visits any more. */
  async differing({ from, to }: InstantRange, through: Queryable): Promise<DifferingHour[]> {
    const values = [toIso(from), toIso(to)];
    const rows = await through.query<Omit<DifferingHour, 'hour'> & { hour: Date }>(DIFFERING_HOURS, values);
    return rows.map((row) => ({ ...row, hour: row.hour.getTime() }));
  }

  /** From when on the ledger is whole; what is before is in files alone. */
  async keptFrom(through: Queryable = this.database): Promise<number> {
    const [row] = await through.query<{ kept_from: Date }>('SELECT kept_from FROM ledger_retention');
    return row?.kept_from.getTime() ?? Number.NEGATIVE_INFINITY;
  }

  /** The first instant the ledger or a file has a visit of; undefined when there is none. */
  async begin(): Promise<number | undefined> {
    const [row] = await this.database.query<{ from_time: Date | null }>(FIND_BEGIN);
    return row?.from_time?.getTime();
  }

  /** @throws AppError `archive-moved-on`, `archive-file-changed`: nothing was changed */
  async change(change: ManifestChange): Promise<void> {
    const { add, replace, among, incarnation, labels, folderId, also, expectUnchanged } = change;
    const changeAll = async (tx: Transaction) => {
      await this.#lock(tx, incarnation, folderId);
      if (labels !== undefined && labels !== (await this.labels(tx))) throw movedOn();
      if (among !== undefined && add !== undefined && !(await areTheFiles(tx, add.period, among))) throw movedOn();
      const ended = await tx.execute(END_FILES, [replace, 'replaced', add?.id ?? null]);
      if (ended.affected !== replace.length) throw movedOn();
      if (add !== undefined) await insertFile(tx, add, incarnation);
      await also?.(tx);
      await expectUnchanged();
    };
    await this.database.transaction(changeAll, { conflictRetries: CONFLICT_RETRIES });
  }

  /**
   * Replaces files by others, all at once, if these are the active ones of the range, and changes what else changes with them.
   * @throws AppError `archive-moved-on`: nothing was changed
   */
  async exchange({ range, files, incarnation, folderId, also }: ManifestExchange): Promise<void> {
    const exchangeAll = async (tx: Transaction) => {
      await this.#lock(tx, incarnation, folderId);
      if (!(await areTheFiles(tx, range, new Set(files.keys())))) throw movedOn();
      for (const [id, add] of files) {
        if (add === undefined) continue;
        await tx.query(END_FILES, [[id], 'replaced', add.id]);
        await insertFile(tx, add, incarnation);
      }
      await also(tx);
    };
    await this.database.transaction(exchangeAll, { conflictRetries: CONFLICT_RETRIES });
  }

  /** @throws AppError `archive-moved-on` */
  async #lock(tx: Transaction, incarnation: string, folderId: string | undefined): Promise<void> {
    await tx.query(LOCK_MANIFEST);
    const same = await tx.query(
      'SELECT FROM ledger_incarnation, archive_folder AS folder WHERE incarnation = $1 AND folder.id = $2',
      [incarnation, folderId],
    );
    if (same.length === 0) throw movedOn();
  }

  /** In a transaction that relies on it: no file is added, replaced or ended until it ends. */
  async holdsExactly(tx: Transaction, period: InstantRange, ids: ReadonlySet<string>): Promise<boolean> {
    await tx.query(LOCK_MANIFEST);
    return areTheFiles(tx, period, ids);
  }

  /** Files wholly before it count no more, where the ledger dropped their months. @returns how many */
  async expire(before: number): Promise<number> {
    return this.database.transaction(async (tx) => {
      await tx.query(LOCK_MANIFEST);
      return (await tx.query(EXPIRE_FILES, [toIso(before)])).length;
    });
  }

  /** How many files of each state are on disk, and what is in them. */
  async summary(): Promise<Record<ArchiveFile['state'], FilesSummary>> {
    const rows = await this.database.query<FilesSummary & { state: ArchiveFile['state'] }>(SUMMARISE_FILES);
    const of = (state: ArchiveFile['state']) => {
      const { files = 0, visits = 0, bytes = 0 } = rows.find((row) => row.state === state) ?? {};
      return { files, visits, bytes };
    };
    return { active: of('active'), replaced: of('replaced'), damaged: of('damaged'), expired: of('expired') };
  }

  /** Since the file that was not looked at for longest was found whole. 0: no files. */
  async oldestCheckSeconds(): Promise<number> {
    const [row] = await this.database.query<{ seconds: number }>(OLDEST_CHECK);
    return row?.seconds ?? 0;
  }

  /** Damaged files that are whole again count again, all of them or none, where nothing has taken their place. @returns whether they do */
  async reinstate(ids: readonly string[]): Promise<boolean> {
    return this.database.transaction(async (tx) => {
      await tx.query(LOCK_MANIFEST);
      return (await tx.execute(REINSTATE_FILES, [ids])).affected > 0;
    });
  }

  /** No snapshot from now on has it among the files that count. @returns undefined when it did not count any more */
  async setAside(id: string): Promise<DamagedFile | undefined> {
    const { affected } = await this.database.execute(END_FILES, [[id], 'damaged', null]);
    return affected === 0 ? undefined : (await listDamaged(this.database, id))[0];
  }

  /** Damaged files on disk, at most 100: first those of dropped months, then the latest. Every surface reads them here. */
  async damaged(through: Queryable = this.database): Promise<DamagedFile[]> {
    return listDamaged(through);
  }
}

export function movedOn(): AppError {
  return new AppError('archive-moved-on', ARCHIVE_ERRORS['archive-moved-on'], { retryable: true });
}
