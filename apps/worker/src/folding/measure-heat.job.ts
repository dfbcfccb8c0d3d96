import type { Logger } from '@hopcount/runtime';
import type { HotFolds, LinkHeat } from '@hopcount/ledger';

import type { WorkerMetrics } from '../worker.metrics.js';
import type { JobDefinition } from '../jobs/interval-job.js';

export interface MeasureHeatDeps {
  heat: Pick<LinkHeat, 'measure'>;
  folds: Pick<HotFolds, 'foldOpenHours'>;
  metrics: Pick<WorkerMetrics, 'hotLinks' | 'foldsFailed'>;
  intervalMs: number;
  logger: Logger;
  nowMs?: () => number;
}

/**
 * Gives hot links their slots and has their hours folded by the commits; takes both back when they cool.
 * An hour whose link was just promoted is folded from the ledger once, in a later round.
 */
export function createMeasureHeatJob(deps: MeasureHeatDeps): JobDefinition {
  return {
    name: 'measure-heat',
    intervalMs: deps.intervalMs,
    work: async function measureHeat(signal) {
      const nowMs = (deps.nowMs ?? Date.now)();
      const report = await deps.heat.measure(nowMs);
      if (report.busy) return;
      deps.metrics.hotLinks.set({ kind: 'slotted' }, report.hot);
      deps.metrics.hotLinks.set({ kind: 'folded' }, report.folded);
      if (report.changed > 0) deps.logger.info({ heat: report }, 'heat of links changed');
      const { mismatches, failed } = await deps.folds.foldOpenHours(nowMs, signal);
      if (failed > 0) deps.metrics.foldsFailed.inc({ unit: 'hour' }, failed);
      if (mismatches > 0) deps.logger.error({ mismatches }, 'ledger and buckets disagree; run hopcount verify');
    },
  };
}
