import { createWriteStream } from 'node:fs';
import { join, resolve } from 'node:path';

import { HOUR_MS, hourOf, type InstantRange, toIso } from '@hopcount/ledger';
import { type Database, loadSql, type Transaction } from '@hopcount/postgres';
import { AppError, isAppError } from '@hopcount/runtime';

import { ARCHIVE_ERRORS } from '../archive.errors.js';
import { DuckDatabase, type DuckSession } from '../duckdb/duck-database.js';
import { CheckedFiles } from '../files/checked-files.js';
import { FolderMarker } from '../files/folder-marker.js';
import { WorkFolder } from '../files/work-folder.js';
import type { ArchiveFile } from '../manifest/archive-file.js';
import { ALL_TIME, ArchiveManifest } from '../manifest/archive-manifest.js';
import { FolderStore } from '../store/folder-store.js';
import { ArchivedLink, type LinkRange, type Uniques } from './archived-link.js';
import { type HourSum, judgeHours, type JudgedHours } from './judge-hours.js';

const READ_KEPT = loadSql(import.meta.url, 'sql/read-kept.sql');

export interface ArchiveReaderSettings {
  /** Folder of the files; undefined: only the ledger answers. */
  root: string | undefined;
  /** MB DuckDB may use for all questions together; beyond, it spills into the folder. */
  memoryMb: number;
  onDamaged?: (file: Pick<ArchiveFile, 'path' | 'visits'>) => void;
  /** Tests only: after which a question is interrupted. */
  timeoutMs?: number;
}

/** What answers a question about a link in a range. */
export interface LinkSources extends Omit<JudgedHours, 'notFromFiles'> {
  /** undefined: no file has a visit of it. */
  files: FiledVisits | undefined;
}

export type FiledVisits = Pick<ArchivedLink, 'count' | 'countEdges' | 'dimensions'> & {
  /** `rest`: as ArchivedLink.uniques() says. */
  uniques(
    starts: readonly number[],
    rest: string | undefined,
  ): Promise<{ total: Uniques; points: Map<number, Uniques> }>;
};

interface Kept {
  hours: HourSum[];
  keptFrom: number;
  purgedBefore: number | undefined;
}

/** As long as PostgreSQL may take for a statement. */
const TIMEOUT_MS = 30_000;
const THREADS = 2;

/** Questions about visits in files. What a file holds is counted only where it is what the buckets say. */
export class ArchiveReader {
  readonly #manifest: ArchiveManifest;
  readonly #parts: { work: WorkFolder; files: CheckedFiles; duck: DuckDatabase } | undefined;

  constructor(
    database: Database,
    private readonly settings: ArchiveReaderSettings,
  ) {
    const { root, memoryMb, onDamaged = () => undefined } = settings;
    this.#manifest = new ArchiveManifest(database);
    if (root === undefined) return;
    const work = new WorkFolder(join(resolve(root), 'work'));
    const store = new FolderStore(resolve(root), work);
    const files = new CheckedFiles(store, this.#manifest, new FolderMarker(store, this.#manifest), onDamaged);
    const duck = new DuckDatabase({ memoryMb, threads: THREADS, spillFolder: work.spillFolder, keepOpen: true });
    this.#parts = { work, files, duck };
  }

  /** Holds every file against its SHA-256, the latest first, so that no question waits for that. */
  async checkFiles(): Promise<void> {
    const files = await this.#manifest.files(ALL_TIME);
    for (const file of files.reverse()) await this.#parts?.files.use([file], () => Promise.resolve());
  }

  async close(): Promise<void> {
    await this.#parts?.duck.close();
  }

  /**
   * Hands `work` what answers the range, all under the snapshot of `tx`. What was read from a damaged file is never
   * handed out: the file is set aside and `work` is run again without it.
   * @throws AppError `archive-question-too-large`; `archive-unreadable` where only files would know
   */
  async link<T>(tx: Transaction, range: LinkRange, work: (sources: LinkSources) => Promise<T>): Promise<T> {
    const hours = { from: hourOf(range.from), to: hourOf(range.to - 1) + HOUR_MS };
    const kept = await readKept(tx, range.linkId, hours);
    const listed = await this.#manifest.files(hours, tx);
    try {
      return await this.#answer(tx, range, kept, listed, work);
    } catch (error) {
      if (!isAppError(error, 'archive-engine-failed') || !(await this.#areChanged(listed))) throw error;
      return this.#answer(tx, range, kept, listed, work);
    }
  }

  async #answer<T>(
    tx: Transaction,
    range: LinkRange,
    kept: Kept,
    listed: readonly ArchiveFile[],
    work: (sources: LinkSources) => Promise<T>,
  ): Promise<T> {
    if (this.#parts === undefined || listed.length === 0) return work(fromLedger(range, kept));
    try {
      return await this.#parts.files.use(listed, (usable) =>
        usable.length === 0
          ? work(fromLedger(range, kept))
          : this.#session((session) =>
              this.#fromFiles(tx, session, { range, kept, paths: usable.map(({ local }) => local) }, work),
            ),
      );
    } catch (error) {
      if (!isAppError(error, 'archive-folder-missing')) throw error;
      const sources = fromLedger(range, kept);
      if (sources.unknown.length === 0) return work(sources);
      const code = 'archive-unreadable';
      throw new AppError(code, ARCHIVE_ERRORS[code], { retryable: true, cause: error });
    }
  }

  async #fromFiles<T>(
    tx: Transaction,
    session: DuckSession,
    { range, kept, paths }: { range: LinkRange; kept: Kept; paths: readonly string[] },
    work: (sources: LinkSources) => Promise<T>,
  ): Promise<T> {
    const link = await ArchivedLink.load(session, range, paths, kept.purgedBefore);
    const { notFromFiles, ...hours } = judgeHours(kept.hours, await link.hours(), kept.keptFrom);
    await link.leaveOut(notFromFiles);
    const files: FiledVisits = {
      count: () => link.count(),
      countEdges: (ranges, starts) => link.countEdges(ranges, starts),
      dimensions: () => link.dimensions(),
      uniques: (starts, select) =>
        select === undefined
          ? link.uniques(starts, undefined)
          : this.#aside((path) => link.uniques(starts, { select, path, copy: copyOf(tx, session) })),
    };
    return work({ ...clipped(hours, range), files });
  }

  /** What was good when it was first opened may be damaged, or gone, by now. */
  async #areChanged(listed: readonly ArchiveFile[]): Promise<boolean> {
    let changed = false;
    for (const file of listed) if (this.#parts !== undefined && !(await this.#parts.files.check(file))) changed = true;
    return changed;
  }

  async #session<T>(work: (session: DuckSession) => Promise<T>): Promise<T> {
    const signal = AbortSignal.timeout(this.settings.timeoutMs ?? TIMEOUT_MS);
    try {
      return await this.#the.duck.session(work, signal);
    } catch (error) {
      if (!signal.aborted && !isAppError(error, 'archive-memory-exceeded')) throw error;
      const code = 'archive-question-too-large';
      throw new AppError(code, ARCHIVE_ERRORS[code], { retryable: true, cause: error });
    }
  }

  #aside<T>(work: (path: string) => Promise<T>): Promise<T> {
    return this.#the.work.aside(work);
  }

  get #the() {
    if (this.#parts === undefined) throw new Error('there is no archive');
    return this.#parts;
  }
}

async function readKept(tx: Transaction, linkId: string, { from, to }: InstantRange): Promise<Kept> {
  const [row] = await tx.query<{
    kept_from: Date | null;
    purged_before: Date | null;
    hours: number[];
    visits: number[];
    checksums: string[];
  }>(READ_KEPT, [linkId, toIso(from), toIso(to)]);
  if (row === undefined) throw new Error('the statement always answers one row');
  return {
    hours: row.hours.map((hour, n) => ({ hour, visits: row.visits[n] ?? 0, checksum: row.checksums[n] ?? '' })),
    keptFrom: row.kept_from?.getTime() ?? Number.NEGATIVE_INFINITY,
    purgedBefore: row.purged_before?.getTime(),
  };
}

function copyOf(tx: Transaction, session: DuckSession) {
  return (statement: string, path: string) =>
    tx.copyTo(statement, createWriteStream(path, { mode: 0o600 }), session.signal);
}

/** What is left to ask where no file can be read. */
function fromLedger(range: LinkRange, { hours, keptFrom }: Kept): LinkSources {
  return { ...clipped(judgeHours(hours, [], keptFrom), range), files: undefined };
}

function clipped({ fromLedger, unknown }: Omit<JudgedHours, 'notFromFiles'>, within: InstantRange) {
  return { fromLedger: clip(fromLedger, within), unknown: clip(unknown, within) };
}

/** Ranges end with hours, the question may not. */
function clip(ranges: readonly InstantRange[], within: InstantRange): InstantRange[] {
  return ranges
    .map(({ from, to }) => ({ from: Math.max(from, within.from), to: Math.min(to, within.to) }))
    .filter(({ from, to }) => from < to);
}
