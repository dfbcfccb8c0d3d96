import { toIso } from '@hopcount/ledger';

import { Attempts, type Failure } from '../attempts.js';
import { archivedVisits, sumOf } from '../duckdb/archived-visits.js';
import type { DuckDatabase, DuckSession } from '../duckdb/duck-database.js';
import type { ArchiveWriter } from '../files/archive-writer.js';
import type { CheckedFiles } from '../files/checked-files.js';
import type { WorkFolder } from '../files/work-folder.js';
import { ALL_TIME, type ArchiveManifest } from '../manifest/archive-manifest.js';
import type { ExpectUnchanged } from '../store/archive-store.js';
import { type MergeLimits, type MergePlan, planMerges } from './plan-merges.js';

const MAX_BYTES = 256 << 20;
/** The rest waits for the next run: hours that closed meanwhile come first. */
const MERGES_AT_ONCE = 20;

export interface MergeParts {
  work: WorkFolder;
  manifest: ArchiveManifest;
  files: CheckedFiles;
  writer: ArchiveWriter;
  duck: DuckDatabase;
}

export interface MergeReport {
  files: number;
  into: number;
  failed: Failure[];
}

export interface CompactOptions {
  /** So far; called after each round. */
  onProgress?: (report: MergeReport) => void;
  signal?: AbortSignal;
}

/** Makes one file of the hours of a day, then of the days of a month. No visit comes or goes, so sums stay. */
export class FileMerger {
  constructor(
    private readonly parts: MergeParts,
    private readonly settings: { maxBytes?: number } = {},
  ) {}

  /** The latest ones; one that fails delays only itself. @throws when PostgreSQL is away or space is scarce */
  async merge(closedBefore: number, nowMs: number, signal?: AbortSignal): Promise<MergeReport> {
    const plans = await this.#plan({ closedBefore, nowMs });
    return this.#mergeAll(plans.slice(-MERGES_AT_ONCE), signal);
  }

  /** What `compact` would merge first. */
  planCompaction(closedBefore: number): Promise<MergePlan[]> {
    return this.#plan({ closedBefore, nowMs: Number.POSITIVE_INFINITY, settlesMs: 0 });
  }

  /** All that can be one file, however young it is: days, then months. */
  async compact(closedBefore: number, { onProgress, signal }: CompactOptions = {}): Promise<MergeReport> {
    const total: MergeReport = { files: 0, into: 0, failed: [] };
    for (;;) {
      const plans = await this.planCompaction(closedBefore);
      const { files, into, failed } = await this.#mergeAll(plans, signal);
      total.files += files;
      total.into += into;
      total.failed = failed;
      onProgress?.(total);
      // Those that failed would be planned again.
      if (into === 0 || signal?.aborted === true) return total;
    }
  }

  async #plan(limits: Omit<MergeLimits, 'maxBytes'>): Promise<MergePlan[]> {
    const maxBytes = this.settings.maxBytes ?? MAX_BYTES;
    return planMerges(await this.parts.manifest.files(ALL_TIME), { ...limits, maxBytes });
  }

  async #mergeAll(plans: readonly MergePlan[], signal?: AbortSignal): Promise<MergeReport> {
    const attempts = new Attempts(signal);
    const report: MergeReport = { files: 0, into: 0, failed: attempts.failed };
    if (plans.length === 0) return report;
    await this.parts.duck.session(async (session) => {
      for (const plan of plans) {
        await attempts.run(`${plan.level} ${toIso(plan.files[0]?.period.from ?? 0)}`, async () => {
          if (!(await this.#mergeOne(session, plan))) return;
          report.files += plan.files.length;
          report.into += 1;
        });
      }
    }, signal);
    return report;
  }

  /** @returns false where one was damaged: its hours are sealed anew first */
  async #mergeOne(session: DuckSession, { level, files }: MergePlan): Promise<boolean> {
    const { work, manifest, writer } = this.parts;
    await work.expectSpace();
    const incarnation = await manifest.incarnation();
    const period = {
      from: Math.min(...files.map((file) => file.period.from)),
      to: Math.max(...files.map((file) => file.period.to)),
    };
    const write = async (usable: { local: string }[], expectUnchanged: ExpectUnchanged) => {
      if (usable.length < files.length) return false;
      const visits = archivedVisits(usable.map(({ local }) => local));
      const draft = { level, period, visits, expected: sumOf(`(${visits})`) };
      await writer.publish(session, draft, { replace: files.map(({ id }) => id), incarnation, expectUnchanged });
      return true;
    };
    // Each anew: what rotted since it was first opened would get a SHA-256 that is right.
    return this.parts.files.use(files, write, { anew: true });
  }
}
