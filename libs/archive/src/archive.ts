import { DAY_MS, HOUR_MS, hourOf } from '@hopcount/ledger';
import type { Database } from '@hopcount/postgres';

import { FileCleaner } from './clean/file-cleaner.js';
import { DuckDatabase } from './duckdb/duck-database.js';
import { ArchiveFolder } from './files/archive-folder.js';
import { ArchiveWriter } from './files/archive-writer.js';
import { CheckedFiles } from './files/checked-files.js';
import { FileUpkeep, type RemovalReport } from './files/file-upkeep.js';
import type { ArchiveFile } from './manifest/archive-file.js';
import { ArchiveManifest } from './manifest/archive-manifest.js';
import { FileMerger, type MergeReport } from './merge/file-merger.js';
import { type SealReport, VisitSealer } from './seal/visit-sealer.js';
import { type ArchiveVerification, ArchiveVerifier } from './verify/archive-verifier.js';

export interface ArchiveSettings {
  /** Folder of the files; made when first written to. */
  root: string;
  /** What DuckDB may use; beyond, it spills into the folder. */
  memoryMb: number;
  onDamaged?: (file: Pick<ArchiveFile, 'id' | 'path' | 'visits'>) => void;
  /** Tests only: a merged file's most bytes. */
  maxFileBytes?: number;
}

/** Two cores are a small machine's all; jobs beside the path of a visit take one. */
const THREADS = 1;
/** Most late visits come within; what comes later is found by a look at all. */
const RECENT_MS = 6 * HOUR_MS;
/** Of one statement over buckets. */
const LOOK_AT_ONCE_MS = 7 * DAY_MS;

/**
 * Hours that end at or before it are closed: all that was published by then is counted, or they ended `sealAfterMs`
 * ago. What comes later is sealed later.
 */
export function closedBefore(nowMs: number, sealAfterMs: number, countedUpTo = Number.NEGATIVE_INFINITY): number {
  return hourOf(Math.max(countedUpTo, nowMs - sealAfterMs));
}

/** Closed hours of the ledger in column files. Any number of processes may work on one archive. */
export class Archive {
  /** What is in it. */
  readonly manifest: ArchiveManifest;
  readonly #sealer: VisitSealer;
  readonly #merger: FileMerger;
  readonly #upkeep: FileUpkeep;
  readonly #verifier: ArchiveVerifier;

  constructor(database: Database, settings: ArchiveSettings) {
    const { root, memoryMb, onDamaged = () => undefined, maxFileBytes: maxBytes } = settings;
    const folder = new ArchiveFolder(root);
    const manifest = new ArchiveManifest(database);
    const files = new CheckedFiles(folder, manifest, onDamaged);
    const writer = new ArchiveWriter(folder, manifest);
    const duck = new DuckDatabase({ memoryMb, threads: THREADS, spillFolder: folder.spillFolder });
    const cleaner = new FileCleaner({ database, folder, manifest, files, writer });
    const parts = { database, folder, manifest, files, writer, cleaner, duck };
    this.manifest = manifest;
    this.#sealer = new VisitSealer(parts);
    this.#merger = new FileMerger(parts, { maxBytes });
    this.#upkeep = new FileUpkeep(parts);
    this.#verifier = new ArchiveVerifier(parts);
  }

  /** Closed hours that files do not hold as the buckets say: of the last six hours, or of all time. */
  async dueHours(closedBefore: number, scope: 'recent' | 'all'): Promise<number[]> {
    const begin = await this.manifest.begin();
    if (begin === undefined) return [];
    const hours: number[] = [];
    const first = hourOf(scope === 'all' ? begin : Math.max(begin, closedBefore - RECENT_MS));
    for (let from = first; from < closedBefore; from += LOOK_AT_ONCE_MS) {
      hours.push(...(await this.manifest.dueHours({ from, to: Math.min(from + LOOK_AT_ONCE_MS, closedBefore) })));
    }
    return hours;
  }

  seal(hours: readonly number[], signal?: AbortSignal): Promise<SealReport> {
    return this.#sealer.seal(hours, signal);
  }

  merge(closedBefore: number, nowMs: number, signal?: AbortSignal): Promise<MergeReport> {
    return this.#merger.merge(closedBefore, nowMs, signal);
  }

  removeFiles(nowMs: number): Promise<RemovalReport> {
    return this.#upkeep.remove(nowMs);
  }

  scrub(nowMs: number, signal?: AbortSignal): Promise<number> {
    return this.#upkeep.scrub(nowMs, signal);
  }

  verify(closedBefore: number, onProgress?: (step: string) => void): Promise<ArchiveVerification> {
    return this.#verifier.verify(closedBefore, onProgress);
  }
}
