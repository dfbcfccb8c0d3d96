import { mkdir, rm, utimes } from 'node:fs/promises';
import { join } from 'node:path';

import type { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { AppError, isAppError } from '@hopcount/runtime';

import { ARCHIVE_ERRORS } from '../archive.errors.js';
import { ROW_GROUP_VISITS } from './row-groups.js';

export interface DuckSettings {
  /** Beyond it DuckDB spills to `spillFolder`. */
  memoryMb: number;
  threads: number;
  /** Of this process alone; each database has a folder of its own in it, as DuckDB's names are always the same. */
  spillFolder: string;
  /** All sessions share one database, and its memory, until close(): opening one costs more than a small question. */
  keepOpen?: boolean;
}

/** What it makes is its own and goes with it, if it is temporary. */
export interface DuckSession {
  run(statement: string): Promise<void>;
  /** BIGINT comes as bigint, so select what is a number AS DOUBLE, and what is not AS VARCHAR. */
  rows<Row>(statement: string): Promise<Row[]>;
  /** INTEGER and BIGINT columns, some rows at a time; handed to `work` as they are in memory. */
  eachPiece(statement: string, work: (columns: readonly NumberColumn[]) => void): Promise<void>;
  /** What runs at the same time, on a connection of its own: it does not see what is temporary here. */
  beside<T>(work: (session: DuckSession) => Promise<T>): Promise<T>;
  /** Aborted, no statement begins any more; what else is done for the session shall end, too. */
  readonly signal: AbortSignal | undefined;
  /** The database, where it is kept open: what is not temporary is there for later sessions that have the same. */
  readonly kept: object | undefined;
}

/** A file that is read, and how many visits it has. */
export interface ReadFile {
  local: string;
  /** See stampOf(). */
  stamp: string;
  visits: number;
}

export interface NumberColumn {
  items: Int32Array | BigInt64Array;
  /** A bit of each row, the lowest first: whether it is not null. undefined: none is null. */
  valid: Uint32Array | undefined;
}

/** What getItem() reads one by one. */
interface NumbersInMemory {
  items: Int32Array | BigInt64Array;
  validity: { data: BigUint64Array | null };
}

const REASON_LENGTH = 300;
/**
 * Row groups of which a database that is kept open keeps the footers: 26 KB each, 50 MB. Parsing them anew takes half
 * of a small question's time.
 */
const REMEMBERED_ROW_GROUPS = 2_000;
const INTERRUPT_EVERY_MS = 50;

/**
 * The only home of DuckDB: it reads and writes files and keeps nothing, so unless kept open its memory goes with each
 * session. It loads no extension and asks no network; its library (70 MB) is loaded when first needed.
 */
export class DuckDatabase {
  #kept: Promise<DuckDBInstance> | undefined;
  #made = 0;
  /** Of the files whose footers the kept database has, by their paths. */
  readonly #remembered = new Map<string, { stamp: string; groups: number }>();
  #sessions = 0;

  constructor(private readonly settings: DuckSettings) {}

  /** Aborted, what is running ends with an error. `files`: those that are read, to keep their footers. */
  async session<T>(
    work: (session: DuckSession) => Promise<T>,
    signal?: AbortSignal,
    files: readonly ReadFile[] = [],
  ): Promise<T> {
    signal?.throwIfAborted();
    const remembers = await this.#makeRoomFor(files);
    this.#sessions += 1;
    try {
      return await this.#session(work, signal, remembers);
    } finally {
      this.#sessions -= 1;
    }
  }

  async #session<T>(
    work: (session: DuckSession) => Promise<T>,
    signal: AbortSignal | undefined,
    remembers: boolean,
  ): Promise<T> {
    const opening = this.#open();
    try {
      return await this.#onConnection(opening, work, { signal, remembers });
    } catch (error) {
      if (isAppError(error, 'archive-engine-failed')) this.#forget(opening);
      throw error;
    } finally {
      if (this.settings.keepOpen !== true)
        await opening.then(
          (database) => database.closeSync(),
          () => undefined,
        );
    }
  }

  async #onConnection<T>(
    opening: Promise<DuckDBInstance>,
    work: (session: DuckSession) => Promise<T>,
    how: { signal: AbortSignal | undefined; remembers: boolean },
  ): Promise<T> {
    const connection = await this.#connect(opening);
    const stopInterrupting = interruptOn(how.signal, connection);
    try {
      if (how.remembers) await connection.run('SET SESSION parquet_metadata_cache = true');
      const beside = <Other>(other: (session: DuckSession) => Promise<Other>) =>
        this.#onConnection(opening, other, how);
      const kept = this.settings.keepOpen === true ? await opening : undefined;
      return await work({ ...sessionOn(connection, how.signal), beside, kept });
    } finally {
      stopInterrupting();
      connection.closeSync();
    }
  }

  /**
   * DuckDB never forgets a footer, so it is opened anew once it knows too many, or one that was read before the file got another
   * stamp: DuckDB itself compares the path, the size and the second of the last write. @returns whether these can be kept
   */
  async #makeRoomFor(files: readonly ReadFile[]): Promise<boolean> {
    if (this.settings.keepOpen !== true || files.length === 0) return false;
    const footers = files.map(({ local, stamp, visits }) => ({
      local,
      stamp,
      groups: Math.ceil(visits / ROW_GROUP_VISITS),
    }));
    if (sumOf(footers) > REMEMBERED_ROW_GROUPS) return false;
    const unknown = footers.filter(({ local }) => !this.#remembered.has(local));
    const isOutdated = footers.some(({ local, stamp }) => (this.#remembered.get(local)?.stamp ?? stamp) !== stamp);
    if (isOutdated || sumOf(this.#remembered.values()) + sumOf(unknown) > REMEMBERED_ROW_GROUPS) {
      // Two databases would use twice the memory.
      if (this.#sessions > 0) return false;
      const kept = this.#kept;
      this.#forget(kept);
      (await kept)?.closeSync();
    }
    for (const footer of footers) this.#remembered.set(footer.local, footer);
    return true;
  }

  async close(): Promise<void> {
    if (this.#kept === undefined) return;
    (await this.#kept).closeSync();
    this.#kept = undefined;
    await rm(this.settings.spillFolder, { recursive: true, force: true });
  }

  #open(): Promise<DuckDBInstance> {
    if (this.settings.keepOpen !== true) return create(this.settings, this.settings.spillFolder);
    this.#kept ??= create(this.settings, this.#spillFolderOf((this.#made += 1)));
    return this.#kept;
  }

  async #connect(opening: Promise<DuckDBInstance>): Promise<DuckDBConnection> {
    try {
      if (this.settings.keepOpen === true) {
        for (const path of [this.#spillFolderOf(this.#made), this.settings.spillFolder]) await keepFolder(path);
      }
      const connection = await (await opening).connect();
      await connection.run(`SET TimeZone = 'UTC'`);
      return connection;
    } catch (error) {
      this.#forget(opening);
      return throwWithCode(error);
    }
  }

  #spillFolderOf(database: number): string {
    return join(this.settings.spillFolder, String(database));
  }

  /** Some errors leave a database that answers nothing any more: the next session opens another. */
  #forget(opened: Promise<DuckDBInstance> | undefined): void {
    if (this.#kept !== opened) return;
    this.#kept = undefined;
    this.#remembered.clear();
  }
}

/**
 * DuckDB makes it when it first spills, and fails for ever once it is gone; untouched for a day it looks like what a
 * killed process left.
 */
async function keepFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  await utimes(path, new Date(), new Date());
}

/** Again and again: a statement that has yet to begin would forget the interruption. */
function interruptOn(signal: AbortSignal | undefined, connection: DuckDBConnection): () => void {
  let timer: NodeJS.Timeout | undefined;
  const interrupt = () => {
    connection.interrupt();
    timer = setInterval(() => connection.interrupt(), INTERRUPT_EVERY_MS);
  };
  signal?.addEventListener('abort', interrupt, { once: true });
  return () => {
    signal?.removeEventListener('abort', interrupt);
    clearInterval(timer);
  };
}

async function create(
  { memoryMb, threads, keepOpen = false }: DuckSettings,
  spillFolder: string,
): Promise<DuckDBInstance> {
  const { DuckDBInstance } = await import('@duckdb/node-api');
  return DuckDBInstance.create(':memory:', {
    memory_limit: `${memoryMb}MB`,
    threads: String(threads),
    temp_directory: spillFolder,
    // What is written has an order; what is asked has none.
    preserve_insertion_order: String(!keepOpen),
    // DuckDB takes what it thinks is the smaller side of a join into memory, and of a CSV file it thinks little: then wide
    // rows would be held, and come out in no order.
    ...(keepOpen ? {} : { disabled_optimizers: 'build_side_probe_side' }),
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    // The system keeps local files in memory as well.
    enable_external_file_cache: 'false',
  });
}

function sumOf(footers: Iterable<{ groups: number }>): number {
  let sum = 0;
  for (const { groups } of footers) sum += groups;
  return sum;
}

function sessionOn(
  connection: DuckDBConnection,
  signal: AbortSignal | undefined,
): Omit<DuckSession, 'beside' | 'kept'> {
  return {
    signal,
    run: async (statement) => {
      signal?.throwIfAborted();
      await connection.run(statement).catch(throwWithCode);
    },
    rows: async <Row>(statement: string) => {
      signal?.throwIfAborted();
      const reader = await connection.runAndReadAll(statement).catch(throwWithCode);
      return reader.getRowObjectsJS() as Row[];
    },
    eachPiece: async (statement, work) => {
      signal?.throwIfAborted();
      const result = await connection.run(statement).catch(throwWithCode);
      for (;;) {
        signal?.throwIfAborted();
        const chunk = await result.fetchChunk().catch(throwWithCode);
        if (chunk === null || chunk.rowCount === 0) return;
        work(Array.from({ length: chunk.columnCount }, (_, n) => numbersOf(chunk.getColumnVector(n))));
      }
    },
  };
}

function numbersOf(vector: unknown): NumberColumn {
  const { items, validity } = vector as NumbersInMemory;
  const bits = validity.data;
  return { items, valid: bits === null ? undefined : new Uint32Array(bits.buffer, bits.byteOffset, 2 * bits.length) };
}

/** Its errors have no code, and quote rows after the first line. */
function throwWithCode(error: unknown): never {
  const text = error instanceof Error ? error.message : String(error);
  const reason = text.split('\n', 1)[0]?.slice(0, REASON_LENGTH);
  const code = codeOf(text);
  throw new AppError(code, `${ARCHIVE_ERRORS[code]} ${reason}`, { details: { reason } });
}

function codeOf(text: string) {
  if (/no space left/i.test(text)) return 'archive-no-space';
  return /out of memory/i.test(text) ? 'archive-memory-exceeded' : 'archive-engine-failed';
}
