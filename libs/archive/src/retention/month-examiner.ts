import { DAY_MS, type InstantRange, type MonthArchive, type MonthExamination, toIso } from '@hopcount/ledger';
import { type Database, loadSql } from '@hopcount/postgres';

import type { CheckedFiles } from '../files/checked-files.js';
import type { FolderMarker } from '../files/folder-marker.js';
import type { ArchiveFile } from '../manifest/archive-file.js';
import type { ArchiveManifest } from '../manifest/archive-manifest.js';

const FIND_UNFILED = loadSql(import.meta.url, 'sql/find-unfiled.sql');
/** A day of many millions of rows is read here, once before its month goes. */
const NO_HURRY = "SELECT set_config('statement_timeout', '30min', true), set_config('jit', 'off', true)";

export interface ExaminerParts {
  database: Database;
  manifest: ArchiveManifest;
  marker: FolderMarker;
  files: CheckedFiles;
}

/**
 * Whether the ledger may lose a month: its buckets, its rows and the active files say the same of each hour, and
 * every file is what its SHA-256 says. The files are noted first and are asked for again by `confirm`: while they are
 * the active ones, what was found in between was found of them.
 */
export class MonthExaminer implements MonthArchive {
  constructor(private readonly parts: ExaminerParts) {}

  /** @throws AppError `archive-folder-missing` */
  async examine(month: InstantRange, signal?: AbortSignal): Promise<MonthExamination> {
    const { manifest, marker } = this.parts;
    await marker.check();
    const files = await manifest.files(month);
    const hours = await this.#hoursThatDiffer(month, signal);
    const [first] = hours;
    if (first !== undefined) return { keep: `files do not hold ${hours.length} of its hours, first ${toIso(first)}` };
    const damaged = await this.#firstDamaged(files, signal);
    if (damaged !== undefined) return { keep: `${damaged} is damaged or missing: it is sealed again first` };
    const ids = new Set(files.map(({ id }) => id));
    return {
      confirm: async (tx) =>
        (await manifest.holdsExactly(tx, month, ids)) ? undefined : 'its files were changed meanwhile',
    };
  }

  /** A day at a time, as far as the first day that has some. */
  async #hoursThatDiffer({ from, to }: InstantRange, signal?: AbortSignal): Promise<number[]> {
    const { database, manifest } = this.parts;
    for (let day = from; day < to; day += DAY_MS) {
      signal?.throwIfAborted();
      const range = { from: day, to: Math.min(day + DAY_MS, to) };
      const due = await manifest.dueHours(range);
      if (due.length > 0) return due;
      const unfiled = await database.transaction(async (tx) => {
        await tx.query(NO_HURRY);
        return tx.query<{ hour: Date }>(FIND_UNFILED, [toIso(range.from), toIso(range.to)]);
      });
      if (unfiled.length > 0) return unfiled.map(({ hour }) => hour.getTime());
    }
    return [];
  }

  async #firstDamaged(files: readonly ArchiveFile[], signal?: AbortSignal): Promise<string | undefined> {
    for (const file of files) {
      signal?.throwIfAborted();
      if (!(await this.parts.files.check(file))) return file.path;
    }
    return undefined;
  }
}
