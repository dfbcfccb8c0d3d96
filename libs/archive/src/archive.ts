import {
  DAY_MS,
  type FiledErasure,
  floorTo,
  HOUR_MS,
  hourOf,
  type InstantRange,
  type LabelRules,
  type MonthArchive,
  type MonthExamination,
  type People,
  type RelabelRun,
} from '@hopcount/ledger';
import type { Database, Transaction } from '@hopcount/postgres';
import type { OnStep } from '@hopcount/runtime';

import { FileCleaner } from './clean/file-cleaner.js';
import { DAY_LIMITS, DayAggregator, type DayReport, type DaysToAggregate } from './days/day-aggregator.js';
import type { DayLimits } from './days/day-selections.js';
import { DuckDatabase } from './duckdb/duck-database.js';
import { type FileErasure, FileEraser } from './erase/file-eraser.js';
import { ArchiveWriter } from './files/archive-writer.js';
import { CheckedFiles, type OnDamaged } from './files/checked-files.js';
import { FileUpkeep, type RemovalReport, type ScrubReport } from './files/file-upkeep.js';
import { FolderMarker } from './files/folder-marker.js';
import { type AttributionReport, FiledSums } from './filed-sums/filed-sums.js';
import { ArchiveManifest } from './manifest/archive-manifest.js';
import { type CompactOptions, FileMerger, type MergeReport } from './merge/file-merger.js';
import { monthAt } from './months.js';
import { type FileLabels, FileRelabeler, type StageOptions } from './relabel/file-relabeler.js';
import { MonthExaminer } from './retention/month-examiner.js';
import { MonthRestorer, type RestoreOptions, type RestoreReport } from './restore/month-restorer.js';
import { type SealOptions, type SealReport, VisitSealer } from './seal/visit-sealer.js';
import { type ArchiveRoot, openStore } from './store/open-store.js';
import { type ArchiveVerification, ArchiveVerifier, type ArchiveVerifyOptions } from './verify/archive-verifier.js';

export interface ArchiveSettings {
  root: ArchiveRoot;
  /** What DuckDB may use; beyond, it spills into the folder (a bucket's cache folder). */
  memoryMb: number;
  onDamaged?: OnDamaged;
  /** Files of months older than so many days are removed once the ledger has dropped them; unset: none. */
  archiveDays?: number | undefined;
  /** Tests only: a merged file's most bytes. */
  maxFileBytes?: number;
  /** Tests only: what has aggregates of its own. */
  dayLimits?: DayLimits;
  /** Tests only: from how many visits in a file a link has a summary there. */
  summarisedVisits?: number | undefined;
  /** Tests only: of links with so many visits together, summaries are made at once. */
  summarisedAtOnce?: number | undefined;
}

/** Two cores are a small machine's all; jobs beside the path of a visit take one. */
const THREADS = 1;
/** Most late visits come within; what comes later is found by a look at all. */
const RECENT_MS = 6 * HOUR_MS;

/**
 * Hours that end at or before it are closed: all that was published by then is counted, or they ended `sealAfterMs`
 * ago. What comes later is sealed later.
 */
export function closedBefore(nowMs: number, sealAfterMs: number, countedUpTo = Number.NEGATIVE_INFINITY): number {
  return hourOf(Math.max(countedUpTo, nowMs - sealAfterMs));
}

/** Closed hours of the ledger in column files. Any number of processes may work on one archive. */
export class Archive implements MonthArchive {
  /** What is in it. */
  readonly manifest: ArchiveManifest;
  readonly #marker: FolderMarker;
  readonly #sealer: VisitSealer;
  readonly #filedSums: FiledSums;
  readonly #merger: FileMerger;
  readonly #aggregator: DayAggregator;
  readonly #upkeep: FileUpkeep;
  readonly #verifier: ArchiveVerifier;
  readonly #examiner: MonthExaminer;
  readonly #restorer: MonthRestorer;
  readonly #eraser: FileEraser;
  readonly #relabeler: FileRelabeler;
  readonly #archiveDays: number | undefined;

  constructor(database: Database, settings: ArchiveSettings) {
    const { root, memoryMb, onDamaged = () => undefined, maxFileBytes: maxBytes, dayLimits = DAY_LIMITS } = settings;
    const { store, work } = openStore(root);
    const manifest = new ArchiveManifest(database);
    const marker = new FolderMarker(store, manifest);
    const files = new CheckedFiles(store, manifest, marker, onDamaged);
    const { summarisedVisits, summarisedAtOnce } = settings;
    const writer = new ArchiveWriter({ work, store, manifest, marker, summarisedVisits, summarisedAtOnce });
    const duck = new DuckDatabase({ memoryMb, threads: THREADS, spillFolder: work.spillFolder });
    const cleaner = new FileCleaner({ database, work, manifest, files, writer });
    const parts = { database, work, store, manifest, files, writer, cleaner, duck };
    this.manifest = manifest;
    this.#marker = marker;
    this.#sealer = new VisitSealer(parts);
    this.#filedSums = new FiledSums(parts);
    this.#merger = new FileMerger(parts, { maxBytes });
    this.#aggregator = new DayAggregator(parts, dayLimits);
    this.#upkeep = new FileUpkeep(parts);
    this.#verifier = new ArchiveVerifier({ ...parts, filedSums: this.#filedSums });
    this.#examiner = new MonthExaminer({ ...parts, marker });
    this.#restorer = new MonthRestorer(parts);
    this.#eraser = new FileEraser(parts);
    this.#relabeler = new FileRelabeler({ ...parts, marker });
    this.#archiveDays = settings.archiveDays;
  }

  /** Closed hours that files do not hold as the buckets say: of the last six hours, or of all time. */
  async dueHours(closedBefore: number, scope: 'recent' | 'all'): Promise<number[]> {
    const begin = scope === 'all' ? await this.manifest.begin() : closedBefore - RECENT_MS;
    const hours: number[] = [];
    // A day at a time: one statement over years of buckets would take longer than a statement may.
    for (let from = hourOf(begin ?? closedBefore); from < closedBefore;) {
      const to = Math.min(floorTo(from, DAY_MS) + DAY_MS, closedBefore);
      hours.push(...(await this.manifest.dueHours({ from, to })));
      from = to;
    }
    return hours;
  }

  /** Those of days that late visits changed, as far back as the ledger takes any: at most so many, the latest first. */
  async lateHours(closedBefore: number, from: number, atMost: number): Promise<number[]> {
    const hours: number[] = [];
    const begin = hourOf(Math.max(from, await this.manifest.keptFrom()));
    for (const day of begin < closedBefore ? await this.manifest.lateDays({ from: begin, to: closedBefore }) : []) {
      if (hours.length >= atMost) break;
      hours.push(
        ...(await this.manifest.dueHours({ from: Math.max(day, begin), to: Math.min(day + DAY_MS, closedBefore) })),
      );
    }
    return hours;
  }

  // All of these throw AppError `archive-folder-missing` or `archive-store-away`; at the start they have done nothing then.

  /** Then what was purged of dropped months goes out of the sums by group and host, where files are without it by now. */
  async seal(hours: readonly number[], options: SealOptions = {}): Promise<SealReport & { attributed: number }> {
    const { signal } = options;
    await this.#marker.claim();
    const sealed = await this.#sealer.seal(hours, options);
    const { quarterHours, failed } = await this.#filedSums.attribute(signal);
    return { ...sealed, attributed: quarterHours, failed: [...sealed.failed, ...failed] };
  }

  /** Makes sums by group and host of every dropped month what files say. */
  async rebuildSums(onStep?: OnStep): Promise<AttributionReport> {
    await this.#marker.check();
    return this.#filedSums.rebuild(onStep);
  }

  async merge(closedBefore: number, nowMs: number, signal?: AbortSignal): Promise<MergeReport> {
    await this.#marker.claim();
    return this.#merger.merge(closedBefore, nowMs, signal);
  }

  /** What `compact` would merge first: so many files into so many. */
  async planCompaction(closedBefore: number): Promise<{ files: number; into: number }> {
    const plans = await this.#merger.planCompaction(closedBefore);
    return { files: plans.reduce((files, plan) => files + plan.files.length, 0), into: plans.length };
  }

  /** Merges all that can be one file, without waiting until late visits have come. */
  async compact(closedBefore: number, options: CompactOptions = {}): Promise<MergeReport> {
    await this.#marker.claim();
    return this.#merger.compact(closedBefore, options);
  }

  /** Of sealed days, into PostgreSQL. */
  async aggregateDays(days: DaysToAggregate, signal?: AbortSignal): Promise<DayReport> {
    await this.#marker.claim();
    return this.#aggregator.aggregate(days, signal);
  }

  async removeFiles(nowMs: number): Promise<RemovalReport & { expired: number }> {
    await this.#marker.claim();
    const days = this.#archiveDays;
    const expired = days === undefined ? 0 : await this.manifest.expire(monthAt(nowMs - days * DAY_MS).from);
    return { expired, ...(await this.#upkeep.remove(nowMs)) };
  }

  /** See MonthArchive: whether the ledger may lose a month. */
  examine(month: InstantRange, signal?: AbortSignal): Promise<MonthExamination> {
    return this.#examiner.examine(month, signal);
  }

  async scrub(nowMs: number, signal?: AbortSignal): Promise<ScrubReport> {
    await this.#marker.claim();
    return this.#upkeep.scrub(nowMs, signal);
  }

  /** What a restore of the month (any instant in it) would bring back. Its errors are those of `restore`. */
  async planRestore(instant: number): Promise<RestoreReport> {
    await this.#marker.check();
    return this.#restorer.plan(monthAt(instant));
  }

  /** Brings a month the ledger dropped back into it, all of it or nothing. */
  async restore(instant: number, options: RestoreOptions): Promise<RestoreReport> {
    await this.#marker.check();
    return this.#restorer.restore(monthAt(instant), options);
  }

  /** What files have of people. */
  async findPeople(people: People): Promise<FileErasure> {
    await this.#marker.check();
    return this.#eraser.find(people);
  }

  /** Writes files anew without people whom the ledger has no more. */
  async erasePeople(people: People, erasure: FiledErasure): Promise<FileErasure> {
    await this.#marker.check();
    return this.#eraser.erase(people, erasure);
  }

  /** What labelling history anew would change where only files have it. */
  async planLabels(range: InstantRange, rules: LabelRules): Promise<FileLabels> {
    await this.#marker.check();
    return this.#relabeler.plan(range, rules);
  }

  /** Files of the run's range written anew, aside, until one transaction lets them count and does what `apply` does. @returns how many */
  async relabel(
    run: RelabelRun,
    rules: LabelRules,
    options: StageOptions & { apply: (tx: Transaction) => Promise<void> },
  ): Promise<number> {
    await this.#marker.claim();
    return this.#relabeler.relabel(run, rules, options);
  }

  /** What is damaged is set aside at once, and what was brought back whole counts again. */
  async verify(closedBefore: number, options?: ArchiveVerifyOptions): Promise<ArchiveVerification> {
    await this.#marker.check();
    await this.#upkeep.reinstate();
    return this.#verifier.verify(closedBefore, options);
  }
}
