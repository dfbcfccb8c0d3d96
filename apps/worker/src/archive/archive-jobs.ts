import {
  adviceFor,
  Archive,
  archiveRoot,
  closedBefore,
  type DayReport,
  type MergeReport,
  type SealReport,
} from '@hopcount/archive';
import { dayOf } from '@hopcount/statistics';

import type { JobDefinition } from '../jobs/interval-job.js';
import type { JobsDeps } from '../jobs/start-jobs.js';
import { DueSweep } from './due-sweep.js';

const MINUTE_MS = 60_000;
const MEASURE_EVERY_MS = 15_000;
const DAY_MS = 1_440 * MINUTE_MS;
/** A backlog of late visits is worked off in one run, up to so many times what a run may do. */
const ROUNDS_AT_ONCE = 10;
/** As many days are aggregated, and files merged, in a round. */
const MANY_AT_ONCE = 20;
/** A run seals the latest ones; a backlog of years does not keep merges and removals waiting. */
const HOURS_AT_ONCE = 200;

/** @returns undefined without ARCHIVE_URL */
export function openArchive({
  config,
  database,
  metrics,
  logger,
}: Pick<JobsDeps, 'config' | 'database' | 'metrics' | 'logger'>): Archive | undefined {
  const root = archiveRoot(config);
  if (root === undefined) return undefined;
  return new Archive(database, {
    root,
    memoryMb: config.archiveMemory,
    archiveDays: config.archiveDays,
    onDamaged: (file) => {
      metrics.archiveFailures.inc({ operation: 'read' });
      const { path, visits, heldBy } = file;
      logger.error({ path, visits, heldBy }, `a file of the archive is damaged: ${adviceFor(file)}`);
    },
  });
}

export function archiveJobs(deps: JobsDeps, archive: Archive | undefined): JobDefinition[] {
  return archive === undefined
    ? []
    : [sealArchive(deps, archive), scrubArchive(deps, archive), measureArchive(deps, archive)];
}

/** Removes files nobody reads any more, seals closed hours, aggregates days and merges files. Two at once add each visit once. */
function sealArchive(deps: JobsDeps, archive: Archive): JobDefinition {
  const { config, counted, metrics, logger } = deps;
  const onFailed = (error: unknown, day: unknown) => {
    metrics.archiveFailures.inc({ operation: 'seal' });
    logger.error(
      { err: error, day },
      'a day could not be compared with the archive; the next look at all days tries again',
    );
  };
  const sweep = new DueSweep(archive.manifest, {
    everyMs: config.sealSweepIntervalMs,
    hoursAtOnce: HOURS_AT_ONCE,
    onFailed,
  });
  let countedUpTo: number | undefined;
  /** @returns whether much was done and more may be left */
  const round = async (before: number, now: number, signal: AbortSignal): Promise<boolean> => {
    const recent = await archive.dueHours(before, 'recent');
    reportSealed(deps, await archive.seal(recent, { signal }));
    const lateFrom = now - config.ledgerDays * DAY_MS;
    const late = await archive.lateHours(before, lateFrom, HOURS_AT_ONCE);
    const older = await sweep.next(before, now, signal);
    const others = [...new Set([...late, ...older])].sort((a, b) => a - b);
    metrics.archiveBacklog.set(new Set([...recent, ...others]).size);
    const sealed = await archive.seal(others, { signal });
    reportSealed(deps, sealed);
    if (!signal.aborted) sweep.passed();
    const dayOfZone = (at: number) => dayOf(at, config.reportingTimeZone);
    const days = { dayOf: dayOfZone, closedBefore: before, nowMs: now, lateFrom };
    const aggregated = await archive.aggregateDays(days, signal);
    reportAggregated(deps, aggregated);
    const merged = await archive.merge(before, now, signal);
    reportMerged(deps, merged);
    await measure(deps, archive);
    const isBacklog = late.length >= HOURS_AT_ONCE && sealed.visits > 0;
    return isBacklog || aggregated.days >= MANY_AT_ONCE || merged.into >= MANY_AT_ONCE;
  };
  const work = async (signal: AbortSignal) => {
    const now = Date.now();
    await removeFiles(deps, archive, now);
    // While Kafka is away nobody can tell; then hours are closed by their age alone.
    countedUpTo = (await counted.measure().catch(() => undefined)) ?? countedUpTo;
    const before = closedBefore(now, config.sealAfter, countedUpTo);
    let rounds = 0;
    while (!signal.aborted && (await round(before, now, signal)) && (rounds += 1) < ROUNDS_AT_ONCE);
  };
  return { name: 'seal-archive', intervalMs: config.sealIntervalMs, work };
}

/** First of all: what fails later must not keep space from being freed, nor the other way round. */
async function removeFiles({ metrics, logger }: JobsDeps, archive: Archive, nowMs: number): Promise<void> {
  try {
    const removed = await archive.removeFiles(nowMs);
    if (removed.ended + removed.unknown + removed.expired > 0) logger.info({ removed }, 'files of the archive removed');
  } catch (error) {
    metrics.archiveFailures.inc({ operation: 'remove' });
    logger.error({ err: error }, 'files of the archive could not be removed; it is tried again');
  }
}

/** Reads each file once a day: damage is found while the ledger can still mend it. */
function scrubArchive({ metrics, logger }: JobsDeps, archive: Archive): JobDefinition {
  const work = async (signal: AbortSignal) => {
    const { failed } = await archive.scrub(Date.now(), signal);
    for (const { what, error } of failed) {
      metrics.archiveFailures.inc({ operation: 'read' });
      logger.error({ err: error, what }, 'a file of the archive could not be read; it is tried again');
    }
  };
  return { name: 'scrub-archive', intervalMs: 10 * MINUTE_MS, work };
}

/** Damage that others found (an api, a verification) is in the metric although sealing takes long or fails. */
function measureArchive(deps: JobsDeps, archive: Archive): JobDefinition {
  return { name: 'measure-archive', intervalMs: MEASURE_EVERY_MS, work: () => measure(deps, archive) };
}

function reportSealed({ metrics, logger }: JobsDeps, { failed, ...sealed }: SealReport & { attributed: number }): void {
  metrics.archiveSealed.inc(sealed.visits);
  for (const { what, error } of failed) {
    metrics.archiveFailures.inc({ operation: 'seal' });
    logger.error({ err: error, what }, 'could not be sealed; the ledger answers for it, and it is tried again');
  }
  if (sealed.visits + sealed.removedVisits + sealed.attributed > 0) logger.info({ sealed }, 'hours sealed');
}

function reportAggregated({ metrics, logger }: JobsDeps, { failed, ...aggregated }: DayReport): void {
  for (const { what, error } of failed) {
    metrics.archiveFailures.inc({ operation: 'aggregate' });
    logger.error({ err: error, what }, 'could not be aggregated; it is tried again');
  }
  if (aggregated.days > 0) logger.info({ aggregated }, 'days aggregated');
}

function reportMerged({ metrics, logger }: JobsDeps, { failed, ...merged }: MergeReport): void {
  for (const { what, error } of failed) {
    metrics.archiveFailures.inc({ operation: 'merge' });
    logger.error({ err: error, what }, 'files could not be merged; they stay as they are, and it is tried again');
  }
  if (merged.into > 0) logger.info({ merged }, 'files merged');
}

async function measure({ metrics }: JobsDeps, archive: Archive): Promise<void> {
  const summary = await archive.manifest.summary();
  for (const [state, { files }] of Object.entries(summary)) metrics.archiveFiles.set({ state }, files);
  metrics.archiveBytes.set(summary.active.bytes);
  metrics.archiveVisits.set(summary.active.visits);
  metrics.archiveCheckAge.set(await archive.manifest.oldestCheckSeconds());
}
