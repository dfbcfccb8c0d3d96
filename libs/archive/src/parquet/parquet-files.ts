import { randomUUID } from 'node:crypto';
import { createReadStream, type ReadStream } from 'node:fs';
import { appendFile, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { AppError, isAppError } from '@hopcount/runtime';

import { ARCHIVE_ERRORS } from '../archive.errors.js';
import { DuckDatabase, type DuckSession } from '../duckdb/duck-database.js';
import { quote, quoteList } from '../duckdb/quoting.js';
import { csvLine, readCsv } from '../duckdb/read-csv.js';
import { ROW_GROUP_VISITS } from '../duckdb/row-groups.js';
import { WorkFolder } from '../files/work-folder.js';
import { type ArchiveRoot, workFolderOf } from '../store/open-store.js';

export interface ParquetColumn {
  name: string;
  type: 'VARCHAR' | 'BIGINT' | 'DOUBLE' | 'TIMESTAMPTZ';
}

export type ParquetRow = readonly (string | number | null)[];

export interface ParquetContent {
  columns: readonly ParquetColumn[];
  rows: AsyncIterable<readonly ParquetRow[]> | Iterable<readonly ParquetRow[]>;
  /** Written into the file under the key `hopcount`. */
  about: object;
}

/** In memory. */
type ParquetRows = Omit<ParquetContent, 'rows'> & { rows: readonly ParquetRow[] };

export interface ParquetSettings {
  /** Where it is written: its work folder; undefined: the system's folder for temporary files. */
  root: ArchiveRoot | undefined;
  /** Tests only. */
  rowsAtMost?: number;
  rowsOfAPart?: number;
  deadlineMs?: number;
}

/** MB of DuckDB for each file; beyond, it spills. */
const MEMORY_MB = 128;
/** Of a file, and its bytes. A file of so many visits has about 1 GB. */
const ROWS_AT_MOST = 10_000_000;
const BYTES_AT_MOST = 4 * 1024 ** 3;
/** Some 30 MB of text on the disk; in memory there are a piece and a row group. */
const ROWS_OF_A_PART = 60_000;
const DEADLINE_MS = 15 * 60_000;
/** Of rows that are in memory: one is made, the others wait. Each has up to 100,000 rows. */
const MADE_AT_ONCE = 8;
/** What a killed process left. */
const LEFT_BEHIND_MS = 24 * 60 * 60_000;

/**
 * Rows as a Parquet file. Its end says where everything is, so it is whole before the first byte can be sent: rows come
 * as parts, written one after the other, and these become the file.
 */
export class ParquetFiles {
  readonly #work: WorkFolder;
  #turn: Promise<unknown> = Promise.resolve();
  #making = 0;

  constructor(private readonly settings: ParquetSettings) {
    const { root } = settings;
    this.#work = root === undefined ? new WorkFolder(join(tmpdir(), 'hopcount-parquet')) : workFolderOf(root);
  }

  /**
   * @returns what reads the file, which is gone once that is closed
   * @throws AppError `archive-export-too-large`, `archive-question-too-large`; an AbortError
   */
  async open(content: ParquetContent, stop: AbortSignal): Promise<ReadStream> {
    const folder = await this.#makeFolder();
    try {
      const path = await this.#write(folder, content, stop);
      const file = createReadStream(path);
      file.once('close', () => void rm(folder, { recursive: true, force: true }));
      return file;
    } catch (error) {
      await rm(folder, { recursive: true, force: true });
      throw error;
    }
  }

  /** A file of rows that are in memory anyway, one at a time; eight at most are under way or wait. @throws as open() */
  async make({ columns, rows, about }: ParquetRows, stop: AbortSignal): Promise<Buffer> {
    if (this.#making >= MADE_AT_ONCE) {
      const message = 'Too many Parquet files wait to be made: ask again when some of them are, or for CSV.';
      throw new AppError('archive-question-too-large', message, { retryable: true });
    }
    this.#making += 1;
    const made = this.#turn.then(async () => {
      stop.throwIfAborted();
      const folder = await this.#makeFolder();
      try {
        return await readFile(await this.#write(folder, { columns, rows: [rows], about }, stop));
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    });
    this.#turn = made.catch(() => undefined);
    return made.finally(() => (this.#making -= 1));
  }

  async #makeFolder(): Promise<string> {
    await this.#work.clear(Date.now() - LEFT_BEHIND_MS);
    const folder = join(await this.#work.make(), `parquet-${randomUUID()}`);
    await mkdir(folder, { mode: 0o700 });
    return folder;
  }

  async #write(folder: string, content: ParquetContent, stop: AbortSignal): Promise<string> {
    const deadline = AbortSignal.timeout(this.settings.deadlineMs ?? DEADLINE_MS);
    const signal = AbortSignal.any([deadline, stop]);
    const duck = new DuckDatabase({ memoryMb: MEMORY_MB, threads: 1, spillFolder: join(folder, 'spill') });
    try {
      return await duck.session((session) => this.#inParts(session, folder, content), signal);
    } catch (error) {
      if (deadline.aborted) throw tooLarge();
      if (!isAppError(error, 'archive-no-space') && !isAppError(error, 'archive-memory-exceeded')) throw error;
      const code = 'archive-question-too-large';
      throw new AppError(code, ARCHIVE_ERRORS[code], { retryable: true, cause: error });
    }
  }

  async #inParts(session: DuckSession, folder: string, { columns, rows, about }: ParquetContent): Promise<string> {
    const { rowsAtMost = ROWS_AT_MOST, rowsOfAPart = ROWS_OF_A_PART } = this.settings;
    const parts: string[] = [];
    const csv = join(folder, 'rows.csv');
    let [waiting, left, bytes] = [0, rowsAtMost, 0];
    const write = async () => {
      await this.#work.expectSpace();
      const path = join(folder, `${parts.length}.parquet`);
      parts.push(path);
      await copy(session, `SELECT * FROM ${readCsv(csv, columns)}`, path);
      await writeFile(csv, '', { mode: 0o600 });
      waiting = 0;
      if ((bytes += (await stat(path)).size) > BYTES_AT_MOST) throw tooLarge();
    };
    await writeFile(csv, '', { mode: 0o600 });
    for await (const piece of rows) {
      session.signal?.throwIfAborted();
      if ((left -= piece.length) < 0) throw tooLarge();
      await appendFile(csv, piece.map(csvLine).join(''));
      waiting += piece.length;
      if (waiting >= rowsOfAPart) await write();
    }
    if (waiting > 0 || parts.length === 0) await write();
    const whole = join(folder, 'whole.parquet');
    await this.#work.expectSpace(bytes);
    await copy(session, `SELECT * FROM read_parquet(${quoteList(parts)})`, whole, JSON.stringify(about));
    return whole;
  }
}

function copy(session: DuckSession, select: string, path: string, about?: string): Promise<void> {
  const metadata = about === undefined ? '' : `, KV_METADATA {hopcount: ${quote(about)}}`;
  return session.run(`COPY (${select}) TO ${quote(path)} (
    FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE ${ROW_GROUP_VISITS}${metadata}
  )`);
}

function tooLarge(): AppError {
  return new AppError('archive-export-too-large', ARCHIVE_ERRORS['archive-export-too-large']);
}
