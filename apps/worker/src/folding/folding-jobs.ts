import { isListedSuffix } from '@hopcount/hosts';
import { HostFold, HotFolds, LinkHeat, LinkTotals } from '@hopcount/ledger';
import { foldTagChanges } from '@hopcount/links';

import { type JobDefinition, VISITS_OF_LATE } from '../jobs/interval-job.js';
import type { JobsDeps } from '../jobs/start-jobs.js';

export function foldingJobs(deps: JobsDeps): JobDefinition[] {
  const folds = new HotFolds(deps.database);
  return [refreshTotals(deps), foldTags(deps), measureHeat(deps, folds), mergeDeltas(deps, folds), foldHosts(deps)];
}

/** Keeps the ordered totals of lists about a second behind the counts. PostgreSQL keeps two refreshers apart. */
function refreshTotals({ config, database }: JobsDeps): JobDefinition {
  const totals = new LinkTotals(database, config.slots === 'off' ? 'traffic' : 'slots');
  const work = async () => void (await totals.refresh());
  const waitsFor = 'EXISTS (SELECT FROM link_changes)';
  return { name: 'refresh-totals', intervalMs: config.totalsIntervalMs, waitsFor, work };
}

/** Keeps lists of tags quick; their sums are exact without it. */
function foldTags({ config, database }: JobsDeps): JobDefinition {
  const work = async (signal: AbortSignal) => void (await foldTagChanges(database, signal));
  const waitsFor = 'EXISTS (SELECT FROM tag_changes)';
  return { name: 'fold-tag-changes', intervalMs: config.totalsIntervalMs, waitsFor, work };
}

/** Adds what commits said of hosts to their counts; exact without it, but only a fold can be read quickly. */
function foldHosts({ config, database, metrics }: JobsDeps): JobDefinition {
  const hosts = new HostFold(database, { isSuffix: isListedSuffix });
  const work = async (signal: AbortSignal) => {
    const { waiting } = await hosts.fold(signal);
    metrics.hostChangesWaiting.set(waiting);
  };
  // Peers are told up to when all is folded, also while nothing waits.
  const waitsFor = `EXISTS (SELECT FROM host_changes WHERE folded_at IS NULL) OR EXISTS (SELECT FROM host_datacenter)`;
  return { name: 'fold-hosts', intervalMs: config.totalsIntervalMs, waitsFor, work };
}

/**
 * Gives hot links their slots and has their hours folded by the commits; takes both back when they cool.
 * An hour whose link was just promoted is folded from the ledger once, in a later round.
 */
function measureHeat({ config, database, metrics, logger }: JobsDeps, folds: HotFolds): JobDefinition {
  const heat = new LinkHeat(database, config);
  const work = async (signal: AbortSignal) => {
    const report = await heat.measure(Date.now());
    if (report.busy) return;
    metrics.hotLinks.set({ kind: 'slotted' }, report.hot);
    metrics.hotLinks.set({ kind: 'folded' }, report.folded);
    if (report.changed > 0) logger.info({ heat: report }, 'heat of links changed');
    const { mismatches, failed } = await folds.foldOpenHours(Date.now(), signal);
    if (failed > 0) metrics.foldsFailed.inc(failed);
    if (mismatches > 0) logger.error({ mismatches }, 'ledger and buckets disagree; run hopcount verify');
  };
  const waitsFor = `EXISTS (SELECT FROM link_heat) OR ${VISITS_OF_LATE}`;
  return { name: 'measure-heat', intervalMs: config.heatIntervalMs, waitsFor, work };
}

/** Merges what commits added to the folds of hot links' hours, before it is much to read. PostgreSQL keeps two mergers apart. */
export function mergeDeltas(
  { config, metrics }: Pick<JobsDeps, 'config' | 'metrics'>,
  folds: HotFolds,
  nowMs = Date.now,
): JobDefinition {
  const work = async (signal: AbortSignal) => {
    const { failed } = await folds.mergeDeltas(nowMs(), signal);
    if (failed > 0) metrics.foldsFailed.inc(failed);
  };
  const waitsFor = 'EXISTS (SELECT FROM link_fold_deltas)';
  return { name: 'merge-deltas', intervalMs: config.totalsIntervalMs, waitsFor, work };
}
