import type { Logger } from '@hopcount/runtime';
import type { LinkHeat } from '@hopcount/statistics';

import type { ConsumerMetrics } from '../consumer.metrics.js';
import type { JobDefinition } from '../jobs/interval-job.js';

export interface MeasureHeatDeps {
  heat: Pick<LinkHeat, 'measure'>;
  metrics: Pick<ConsumerMetrics, 'hotLinks'>;
  intervalMs: number;
  logger: Logger;
  nowMs?: () => number;
}

/** Gives hot links their slots and has their hours folded by the commits; takes both back when they cool. */
export function createMeasureHeatJob(deps: MeasureHeatDeps): JobDefinition {
  return {
    name: 'measure-heat',
    intervalMs: deps.intervalMs,
    withoutLock: 'run',
    work: async function measureHeat() {
      const report = await deps.heat.measure((deps.nowMs ?? Date.now)());
      if (report.busy) return;
      deps.metrics.hotLinks.set({ kind: 'slotted' }, report.hot);
      deps.metrics.hotLinks.set({ kind: 'folded' }, report.folded);
      if (report.changed + report.merged > 0) deps.logger.info({ heat: report }, 'heat of links changed');
    },
  };
}
