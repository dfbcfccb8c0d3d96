import type { HostPublication } from '@hopcount/ledger';
import type { Logger } from '@hopcount/runtime';

import type { JobDefinition } from '../jobs/interval-job.js';
import type { WorkerMetrics } from '../worker.metrics.js';

interface PublishHostsDeps {
  publication: Pick<HostPublication, 'publish'>;
  intervalMs: number;
  metrics: Pick<WorkerMetrics, 'hostStates'>;
  logger: Logger;
}

/** Tells peers what was counted here by host. PostgreSQL keeps two publishers apart. */
export function publishHosts({ publication, intervalMs, metrics, logger }: PublishHostsDeps): JobDefinition {
  const work = async (signal: AbortSignal) => {
    const { published, refused, newEpoch } = await publication.publish(signal);
    metrics.hostStates.inc({ outcome: 'published' }, published);
    metrics.hostStates.inc({ outcome: 'unsayable' }, refused);
    if (newEpoch !== null) logger.warn({ epoch: newEpoch }, 'counts of hosts are published anew, in a new epoch');
  };
  return { name: 'publish-hosts', intervalMs, work };
}
