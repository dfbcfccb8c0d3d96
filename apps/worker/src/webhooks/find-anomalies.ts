import { LinkAnomalies } from '@hopcount/links';

import type { JobDefinition } from '../jobs/interval-job.js';
import type { JobsDeps } from '../jobs/start-jobs.js';

const INTERVAL_MS = 20_000;
/** A visit has its time before it is published. */
const PUBLISHED_WITHIN_MS = 60_000;
/** A window is closed so long after its end although nobody can tell what is counted. */
const PATIENCE_MS = 3_600_000;

/** A job that looks at each window once it is closed. Two of them at once look at different windows. */
export function findAnomalies(
  { database, counted, metrics, logger }: Pick<JobsDeps, 'database' | 'counted' | 'metrics' | 'logger'>,
  nowMs = Date.now,
): JobDefinition {
  const anomalies = new LinkAnomalies(database);
  const work = async (signal: AbortSignal) => {
    const now = nowMs();
    if ((await anomalies.nextEnd(now)) > now - PUBLISHED_WITHIN_MS) return;
    // While Kafka is away nothing is known to be complete: the next run searches.
    const countedUpTo = (await counted.measure().catch(() => undefined)) ?? 0;
    const closedUntil = Math.max(countedUpTo - PUBLISHED_WITHIN_MS, now - PATIENCE_MS);
    while (!signal.aborted) {
      const links = await anomalies.searchNext(closedUntil, now);
      if (links === undefined) return;
      metrics.linkAnomalies.inc(links);
      if (links > 0) logger.info({ links }, 'links with unusually many visits told to webhooks');
    }
  };
  return { name: 'find-anomalies', intervalMs: INTERVAL_MS, work };
}
