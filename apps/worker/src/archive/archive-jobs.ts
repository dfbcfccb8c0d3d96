import { Archive, closedBefore, type MergeReport, type SealReport } from '@hopcount/archive';

import type { JobDefinition } from '../jobs/interval-job.js';
import type { JobsDeps } from '../jobs/start-jobs.js';

const MINUTE_MS = 60_000;
/** By then late visits are in files and purged ones are out of them, however old their hours. */
const SWEEP_EVERY_MS = 12 * 60 * MINUTE_MS;

/** None without ARCHIVE_URL. */
export function archiveJobs(deps: JobsDeps): JobDefinition[] {
  const { config, database, metrics, logger } = deps;
  if (config.archiveUrl === undefined) return [];
  const archive = new Archive(database, {
    root: config.archiveUrl,
    memoryMb: config.archiveMemory,
    onDamaged: ({ path, visits }) => {
      metrics.archiveFailures.inc({ operation: 'read' });
      logger.error({ path, visits }, 'a file of the archive is damaged; what it held is sealed again from the ledger');
    },
  });
  return [sealArchive(deps, archive), scrubArchive(archive)];
}

/** Seals closed hours, merges files and removes those nobody reads any more. Two at once add each visit once. */
function sealArchive(deps: JobsDeps, archive: Archive): JobDefinition {
  const { config, counted, metrics, logger } = deps;
  let sweptAtMs = Number.NEGATIVE_INFINITY;
  let countedUpTo: number | undefined;
  const work = async (signal: AbortSignal) => {
    const now = Date.now();
    // While Kafka is away nobody can tell; then hours are closed by their age alone.
    countedUpTo = (await counted.measure().catch(() => undefined)) ?? countedUpTo;
    const before = closedBefore(now, config.sealAfter, countedUpTo);
    const scope = now - sweptAtMs >= SWEEP_EVERY_MS ? 'all' : 'recent';
    const hours = await archive.dueHours(before, scope);
    metrics.archiveBacklog.set(hours.length);
    reportSealed(deps, await archive.seal(hours, signal));
    if (scope === 'all' && !signal.aborted) sweptAtMs = now;
    reportMerged(deps, await archive.merge(before, now, signal));
    const removed = await archive.removeFiles(now);
    if (removed.ended + removed.unknown > 0) logger.info({ removed }, 'files of the archive removed');
    await measure(deps, archive);
  };
  return { name: 'seal-archive', intervalMs: config.sealIntervalMs, work };
}

/** Reads each file once a day: damage is found while the ledger can still mend it. */
function scrubArchive(archive: Archive): JobDefinition {
  const work = async (signal: AbortSignal) => {
    await archive.scrub(Date.now(), signal);
  };
  return { name: 'scrub-archive', intervalMs: 10 * MINUTE_MS, work };
}

function reportSealed({ metrics, logger }: JobsDeps, { failed, ...sealed }: SealReport): void {
  metrics.archiveSealed.inc(sealed.visits);
  for (const { what, error } of failed) {
    metrics.archiveFailures.inc({ operation: 'seal' });
    logger.error({ err: error, what }, 'could not be sealed; the ledger answers for it, and it is tried again');
  }
  if (sealed.visits + sealed.removedVisits > 0) logger.info({ sealed }, 'hours sealed');
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
}
