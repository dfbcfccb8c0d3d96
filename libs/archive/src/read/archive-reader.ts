import { HOUR_MS, type InstantRange } from '@hopcount/ledger';
import { type Database, together, type Transaction } from '@hopcount/postgres';
import { AppError, isAppError } from '@hopcount/runtime';

import { ARCHIVE_ERRORS } from '../archive.errors.js';
import { DuckDatabase, type DuckSession, type ReadFile } from '../duckdb/duck-database.js';
import { CheckedFiles, type OnDamaged } from '../files/checked-files.js';
import { FolderMarker } from '../files/folder-marker.js';
import type { WorkFolder } from '../files/work-folder.js';
import type { ArchiveFile } from '../manifest/archive-file.js';
import { ALL_TIME, ArchiveManifest } from '../manifest/archive-manifest.js';
import type { ArchiveStore, LocalFile } from '../store/archive-store.js';
import { FileSummaries } from '../summaries/file-summaries.js';
import { type ArchiveRoot, openStore } from '../store/open-store.js';
import { wholeHours } from './archived-link.js';
import { DroppedVisits } from './dropped-visits.js';
import { readDiffering } from './judge-scope.js';
import { readKeptFrom } from './kept-from.js';
import { KeptRelations } from './kept-relations.js';
import { type LinkQuestion, linkFromFiles, linkFromLedger, type LinkSources, readKept } from './link-sources.js';
import { scopeFromFiles, scopeFromLedger, type ScopeSources } from './scope-sources.js';
import { unreadable } from './unreadable.js';
import type { VisitsQuestion } from './visits-of.js';

export interface ArchiveReaderSettings {
  /** undefined: only the ledger answers. */
  root: ArchiveRoot | undefined;
  /** MB DuckDB may use for all questions together; beyond, it spills. */
  memoryMb: number;
  onDamaged?: OnDamaged;
  /** DuckDB fails though the files are whole: the ledger answers where it can. */
  onFailed?: (error: AppError) => void;
  /** Tests only: after which a question is interrupted. */
  timeoutMs?: number;
  /** Tests only: of a link's more visits distinct visitors are counted in parts. */
  idsAtOnce?: number;
}

/** Where it is not empty, nobody knows all of it. */
interface Known {
  unknown: readonly InstantRange[];
}

/** How a question is answered where some of its files can be read, and where none can. */
interface Ways<Sources, T> {
  withFiles: (
    session: DuckSession,
    usable: readonly LocalFile<ArchiveFile>[],
    parts: { work: WorkFolder },
    answer: (sources: Sources) => Promise<T>,
  ) => Promise<T>;
  withoutFiles: () => Promise<Sources>;
  signal?: AbortSignal | undefined;
}

/** As long as PostgreSQL may take for a statement. */
const TIMEOUT_MS = 30_000;
const THREADS = 2;
/** Of DuckDB's memory, partial results have a quarter. */
const KEPT_BYTES_PER_MB = 2 ** 18;

/** Questions about visits in files. What a file holds is counted only where it is what the buckets say. */
export class ArchiveReader {
  /** Row by row: of months that the ledger dropped. */
  readonly dropped: DroppedVisits;
  readonly #manifest: ArchiveManifest;
  readonly #summaries = new FileSummaries();
  readonly #kept: KeptRelations;
  readonly #parts: { store: ArchiveStore; work: WorkFolder; files: CheckedFiles; duck: DuckDatabase } | undefined;

  constructor(
    database: Database,
    private readonly settings: ArchiveReaderSettings,
  ) {
    const { root, memoryMb, onDamaged = () => undefined } = settings;
    this.#kept = new KeptRelations({ mostBytes: memoryMb * KEPT_BYTES_PER_MB });
    this.#manifest = new ArchiveManifest(database);
    this.dropped = new DroppedVisits(this.#manifest, {
      inFiles: (files, work) => this.#orOnceMore(files, () => this.#inFiles(files, work)),
    });
    if (root === undefined) return;
    const { store, work } = openStore(root);
    const marker = new FolderMarker(store, this.#manifest);
    // A reader may be wrong about a file (still being copied): the worker's next scrub takes in again what is whole.
    const files = new CheckedFiles(store, this.#manifest, marker, onDamaged);
    const duck = new DuckDatabase({ memoryMb, threads: THREADS, spillFolder: work.spillFolder, keepOpen: true });
    this.#parts = { store, work, files, duck };
  }

  /** Holds every file (of a bucket: as many as can be kept) against its SHA-256, the latest first, so that no question waits for that. */
  async checkFiles(): Promise<void> {
    if (this.#parts === undefined) return;
    const { store, files } = this.#parts;
    let left = store.keepsBytes;
    for (const file of (await this.#manifest.files(ALL_TIME)).reverse()) {
      if ((left -= file.bytes) < 0) return;
      await files.use([file], () => Promise.resolve());
    }
  }

  async close(): Promise<void> {
    await this.#parts?.duck.close();
  }

  /**
   * After an answer that cannot be right: compares the range's files with their SHA-256 once more. What is damaged is set aside.
   * @returns whether there was some, so that the question is worth asking again
   */
  async recheck(range: InstantRange): Promise<boolean> {
    if (this.#parts === undefined) return false;
    const listed = await this.#manifest.files(wholeHours(range));
    return listed.length > 0 && (await this.#checkAnew(listed));
  }

  /**
   * Hands `work` what answers the range, all under the snapshot of `tx`. What was read from a damaged file is never
   * handed out: `work` is run again without the file.
   * @throws AppError `archive-question-too-large`; `archive-unreadable` where only files would know
   */
  async link<T>(tx: Transaction, range: LinkQuestion, work: (sources: LinkSources) => Promise<T>): Promise<T> {
    // PostgreSQL adds up buckets while DuckDB reads files; if those cannot be read, nobody waits for it yet.
    const days = range.days();
    days.catch(() => undefined);
    const [kept, listed] = await together([readKept(tx, range), this.#manifest.files(wholeHours(range), tx)]);
    const load = { summaries: this.#summaries, idsAtOnce: this.settings.idsAtOnce };
    const ways: Ways<LinkSources, T> = {
      signal: range.signal,
      withoutFiles: () => linkFromLedger(range, kept, days),
      withFiles: (session, usable, parts, answer) =>
        linkFromFiles(tx, session, { range, kept, days, usable, work: parts.work, ...load }, answer),
    };
    return this.#ask(listed, ways, work);
  }

  /** As `link`, of any scope. What is read of files is held against the buckets of all links. */
  async visits<T>(tx: Transaction, question: VisitsQuestion, work: (sources: ScopeSources) => Promise<T>): Promise<T> {
    const listed = await this.#manifest.files(wholeHours(question), tx);
    const ways: Ways<ScopeSources, T> = {
      signal: question.signal,
      withoutFiles: () => scopeFromLedger(tx, question),
      withFiles: (session, usable, parts, answer) =>
        scopeFromFiles(tx, session, { question, usable, work: parts.work, kept: this.#kept }, answer),
    };
    return this.#ask(listed, ways, work);
  }

  /**
   * Where the ledger is gone: ranges of which a count over the visits would not have all that was added up. Files are read only where the
   * manifest does not say that they hold what the buckets of all links say.
   */
  async unknown(tx: Transaction, question: VisitsQuestion): Promise<InstantRange[]> {
    const to = Math.min(question.to, await readKeptFrom(tx));
    if (question.from >= to) return [];
    const hours = wholeHours({ ...question, to });
    const differing = await readDiffering(tx, hours, await this.#readable(hours, tx));
    const [first, last] = [differing.hours[0], differing.hours.at(-1)];
    if (first === undefined || last === undefined) return [];
    const span = { from: Math.max(question.from, first), to: Math.min(to, last + HOUR_MS) };
    try {
      return await this.visits(tx, { ...question, ...span }, ({ unknown }) => Promise.resolve([...unknown]));
    } catch (error) {
      // Sums are known all the same; what stands behind them nobody can tell now.
      if (isAppError(error, 'archive-unreadable') || isAppError(error, 'archive-question-too-large')) return [span];
      throw error;
    }
  }

  /** Ids of files that can be read; of a bucket those that count: to know more of one, all of it would have to be fetched. */
  async #readable(hours: InstantRange, tx: Transaction): Promise<string[]> {
    const idsOf = (files: readonly ArchiveFile[]) => files.map(({ id }) => id);
    if (this.#parts === undefined) return [];
    const listed = await this.#manifest.files(hours, tx);
    if (typeof this.settings.root !== 'string') return idsOf(listed);
    try {
      return await this.#parts.files.use(listed, (usable) => Promise.resolve(idsOf(usable)));
    } catch (error) {
      if (isAppError(error, 'archive-folder-missing')) return [];
      throw error;
    }
  }

  async #ask<Sources extends Known, T>(
    listed: readonly ArchiveFile[],
    ways: Ways<Sources, T>,
    work: (sources: Sources) => Promise<T>,
  ): Promise<T> {
    try {
      return await this.#orOnceMore(listed, () => this.#answer(listed, ways, work));
    } catch (error) {
      if (!isUnusable(error)) throw error;
      this.settings.onFailed?.(error);
      return answerWithout(error, await ways.withoutFiles(), work);
    }
  }

  async #answer<Sources extends Known, T>(
    listed: readonly ArchiveFile[],
    { withoutFiles, withFiles, signal }: Ways<Sources, T>,
    work: (sources: Sources) => Promise<T>,
  ): Promise<T> {
    const parts = this.#parts;
    if (parts === undefined || listed.length === 0) return work(await withoutFiles());
    let away: AppError | undefined;
    const onAway = (error: AppError) => (away ??= error);
    // What files that cannot be had right now hold may be in the ledger, too.
    const answer = (sources: Sources) => answerWithout(away, sources, work);
    try {
      return await parts.files.use(
        listed,
        async (usable) => {
          if (usable.length === 0) return answer(await withoutFiles());
          const inSession = (session: DuckSession) => withFiles(session, usable, parts, answer);
          return this.#session(parts.duck, usable, inSession, signal);
        },
        { onAway },
      );
    } catch (error) {
      if (!isAppError(error, 'archive-folder-missing')) throw error;
      away = error;
      return answer(await withoutFiles());
    }
  }

  /** undefined: none of them can be read. */
  async #inFiles<T>(
    listed: readonly ArchiveFile[],
    work: (session: DuckSession, paths: readonly string[]) => Promise<T>,
  ): Promise<T | undefined> {
    const parts = this.#parts;
    if (parts === undefined || listed.length === 0) return undefined;
    return parts.files.use(listed, async (usable) => {
      const paths = usable.map(({ local }) => local);
      return paths.length === 0 ? undefined : this.#session(parts.duck, usable, (session) => work(session, paths));
    });
  }

  /** What was good when it was first opened may be damaged, or gone, by now, or was just written to: without it, once more. */
  async #orOnceMore<T>(listed: readonly ArchiveFile[], ask: () => Promise<T>): Promise<T> {
    try {
      return await ask();
    } catch (error) {
      if (!isUnusable(error)) throw error;
    }
    await this.#checkAnew(listed);
    return ask();
  }

  /** @returns whether some of them cannot be read */
  async #checkAnew(listed: readonly ArchiveFile[]): Promise<boolean> {
    const whole = (usable: readonly unknown[]) => Promise.resolve(usable.length);
    this.#kept.forget();
    try {
      const found = await this.#parts?.files.use(listed, whole, { anew: true, onAway: () => undefined });
      return (found ?? listed.length) < listed.length;
    } catch (error) {
      if (!isAppError(error, 'archive-folder-missing') && !isUnusable(error)) throw error;
      return true;
    }
  }

  async #session<T>(
    duck: DuckDatabase,
    files: readonly ReadFile[],
    work: (session: DuckSession) => Promise<T>,
    ended?: AbortSignal,
  ): Promise<T> {
    const timeout = AbortSignal.timeout(this.settings.timeoutMs ?? TIMEOUT_MS);
    const signal = ended === undefined ? timeout : AbortSignal.any([timeout, ended]);
    try {
      return await duck.session(work, signal, files);
    } catch (error) {
      const isTooLarge = isAppError(error, 'archive-memory-exceeded') || isAppError(error, 'archive-no-space');
      if (!signal.aborted && !isTooLarge) throw error;
      const code = 'archive-question-too-large';
      throw new AppError(code, ARCHIVE_ERRORS[code], { retryable: true, cause: error });
    }
  }
}

/** Files could not be read, or were written to while they were. */
function isUnusable(error: unknown): error is AppError {
  return isAppError(error, 'archive-engine-failed') || isAppError(error, 'archive-file-changed');
}

/** @throws AppError where what cannot be read now may know what nobody else does */
async function answerWithout<Sources extends Known, T>(
  cause: AppError | undefined,
  sources: Sources,
  work: (sources: Sources) => Promise<T>,
): Promise<T> {
  if (cause !== undefined && sources.unknown.length > 0) throw unreadable(cause);
  return work(sources);
}
