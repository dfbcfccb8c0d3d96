import { type FoldReport, HotFolds, LinkHeat, LinkTotals, type UnitFolder } from '@hopcount/ledger';

import type { JobDefinition } from '../jobs/interval-job.js';
import type { JobsDeps } from '../jobs/start-jobs.js';
import { createWithReadLock } from './with-read-lock.js';

const SWEEP_EVERY_MS = 24 * 3_600_000;

export function foldingJobs(deps: JobsDeps, folder: UnitFolder): JobDefinition[] {
  const folds = new HotFolds(deps.database);
  return [refreshTotals(deps), foldUnits(deps, folder), measureHeat(deps, folds), mergeDeltas(deps, folds)];
}

/** Keeps the ordered totals of lists about a second behind the counts. PostgreSQL keeps two refreshers apart. */
function refreshTotals({ config, database }: JobsDeps): JobDefinition {
  const totals = new LinkTotals(database, config.slots === 'off' ? 'traffic' : 'slots');
  const work = async () => void (await totals.refresh());
  return { name: 'refresh-totals', intervalMs: config.totalsIntervalMs, work };
}

/**
 * Folds closed units that deserve it; at the first run and once a day it also looks for units whose
 * candidates a crash lost. Folds are idempotent and valid by their checksum alone, so a second folder
 * costs only its own time.
 */
function foldUnits(deps: JobsDeps, folder: UnitFolder): JobDefinition {
  const withReadLock = createWithReadLock(deps.locks);
  let sweptAtMs = Number.NEGATIVE_INFINITY;
  const work = async (signal: AbortSignal) => {
    if (Date.now() - sweptAtMs >= SWEEP_EVERY_MS) {
      reportFolds(deps, await folder.sweep(Date.now(), { signal, withReadLock }));
      sweptAtMs = Date.now();
    }
    reportFolds(deps, await folder.foldDue(Date.now(), { signal, withReadLock }));
  };
  return { name: 'fold-units', intervalMs: deps.config.foldIntervalMs, work };
}

function reportFolds({ logger, metrics }: JobsDeps, folded: FoldReport): void {
  for (const unit of folded.failed) {
    metrics.foldsFailed.inc({ unit: unit.kind });
    logger.error({ unit }, 'a unit could not be folded; it is tried again, and read from the ledger until then');
  }
  if (folded.mismatches > 0) logger.error({ folded }, 'ledger and buckets disagree; run hopcount verify');
  else if (folded.hours + folded.days > 0) logger.info({ folded }, 'units folded');
}

/**
 * Gives hot links their slots and has their hours folded by the commits; takes both back when they cool.
 * An hour whose link was just promoted is folded from the ledger once, in a later round.
 */
function measureHeat({ config, database, metrics, logger }: JobsDeps, folds: HotFolds): JobDefinition {
  const heat = new LinkHeat(database);
  const work = async (signal: AbortSignal) => {
    const report = await heat.measure(Date.now());
    if (report.busy) return;
    metrics.hotLinks.set({ kind: 'slotted' }, report.hot);
    metrics.hotLinks.set({ kind: 'folded' }, report.folded);
    if (report.changed > 0) logger.info({ heat: report }, 'heat of links changed');
    const { mismatches, failed } = await folds.foldOpenHours(Date.now(), signal);
    if (failed > 0) metrics.foldsFailed.inc({ unit: 'hour' }, failed);
    if (mismatches > 0) logger.error({ mismatches }, 'ledger and buckets disagree; run hopcount verify');
  };
  return { name: 'measure-heat', intervalMs: config.heatIntervalMs, work };
}

/** Merges what commits added to the folds of hot links' hours, before it is much to read. PostgreSQL keeps two mergers apart. */
export function mergeDeltas(
  { config, metrics }: Pick<JobsDeps, 'config' | 'metrics'>,
  folds: HotFolds,
  nowMs = Date.now,
): JobDefinition {
  const work = async (signal: AbortSignal) => {
    const { failed } = await folds.mergeDeltas(nowMs(), signal);
    if (failed > 0) metrics.foldsFailed.inc({ unit: 'hour' }, failed);
  };
  return { name: 'merge-deltas', intervalMs: config.totalsIntervalMs, work };
}
