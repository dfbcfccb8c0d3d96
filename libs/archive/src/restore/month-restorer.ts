import { createReadStream } from 'node:fs';

import { expectRestorable, type InstantRange, restoreMonth, toIso } from '@hopcount/ledger';
import type { Database, Transaction } from '@hopcount/postgres';
import { AppError } from '@hopcount/runtime';

import { ARCHIVE_ERRORS } from '../archive.errors.js';
import { archivedVisits } from '../duckdb/archived-visits.js';
import type { DuckDatabase, DuckSession } from '../duckdb/duck-database.js';
import { quote } from '../duckdb/quoting.js';
import { WRITE_CSV } from '../duckdb/read-csv.js';
import type { CheckedFiles } from '../files/checked-files.js';
import type { WorkFolder } from '../files/work-folder.js';
import type { ArchiveFile } from '../manifest/archive-file.js';
import type { ArchiveManifest } from '../manifest/archive-manifest.js';
import { COLUMN_NAMES, FILE_SELECTION } from '../visit-columns.js';

export interface RestoreReport {
  files: number;
  visits: number;
  bytes: number;
}

export interface RestoreOptions {
  /** No month is dropped before. */
  keepUntilMs: number;
  onProgress?: ((visits: number) => void) | undefined;
  signal?: AbortSignal | undefined;
}

export interface RestoreParts {
  database: Database;
  work: WorkFolder;
  manifest: ArchiveManifest;
  files: CheckedFiles;
  duck: DuckDatabase;
}

/** Brings a month the ledger dropped back from its files; they stay what they are, and are not sealed again. */
export class MonthRestorer {
  constructor(private readonly parts: RestoreParts) {}

  /** @throws AppError `month-not-restorable`, `archive-seal-first` */
  async plan(month: InstantRange): Promise<RestoreReport> {
    return sumOfFiles(await this.#filesOf(month));
  }

  /** @throws AppError as `plan`, and `archive-file-damaged`, `restored-month-differs`: nothing was changed */
  async restore(month: InstantRange, options: RestoreOptions): Promise<RestoreReport> {
    const { database, duck } = this.parts;
    const files = await this.#filesOf(month);
    const load = (tx: Transaction, table: string) =>
      duck.session((session) => this.#copy(tx, table, session, files, options), options.signal);
    await restoreMonth(database, { month, keepUntilMs: options.keepUntilMs, load });
    return sumOfFiles(files);
  }

  /** Through a file aside, one at a time: a file of the archive is 256 MB at most, its rows ten times as much. */
  async #copy(
    tx: Transaction,
    table: string,
    session: DuckSession,
    files: readonly ArchiveFile[],
    { onProgress, signal }: RestoreOptions,
  ): Promise<void> {
    const { work, files: checked } = this.parts;
    let visits = 0;
    for (const file of files) {
      await work.expectSpace();
      const copyOne = async ([opened]: { local: string }[]) => {
        if (opened === undefined) throw damaged(file);
        return work.aside(async (rows) => {
          const select = `SELECT ${FILE_SELECTION} FROM (${archivedVisits([opened.local])})`;
          await session.run(`COPY (${select}) TO ${quote(rows)} ${WRITE_CSV}`);
          const copy = `COPY ${table} (${COLUMN_NAMES}) FROM STDIN (FORMAT csv)`;
          return tx.copyFrom(copy, createReadStream(rows, { highWaterMark: 1 << 20 }), signal);
        });
      };
      visits += await checked.use([file], copyOne, { anew: true });
      onProgress?.(visits);
    }
  }

  async #filesOf(month: InstantRange): Promise<ArchiveFile[]> {
    const { database, manifest } = this.parts;
    await expectRestorable(database, month);
    const [due] = await manifest.dueHours(month);
    if (due !== undefined) {
      throw new AppError('archive-seal-first', ARCHIVE_ERRORS['archive-seal-first'], { details: { hour: toIso(due) } });
    }
    return manifest.files(month);
  }
}

function sumOfFiles(files: readonly ArchiveFile[]): RestoreReport {
  const sum = (of: (file: ArchiveFile) => number) => files.reduce((total, file) => total + of(file), 0);
  return { files: files.length, visits: sum((file) => file.visits), bytes: sum((file) => file.bytes) };
}

function damaged({ path }: ArchiveFile): AppError {
  return new AppError('archive-file-damaged', ARCHIVE_ERRORS['archive-file-damaged'], { details: { path } });
}
