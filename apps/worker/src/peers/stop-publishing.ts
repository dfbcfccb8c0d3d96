import type { KnownPeers } from '@hopcount/ledger';
import type { Logger } from '@hopcount/runtime';

import type { JobDefinition } from '../jobs/interval-job.js';

const HOUR_MS = 60 * 60_000;

/** Without HOST_PEERS: else each fold would go on noting what to publish. */
export function stopPublishing(peers: Pick<KnownPeers, 'stopPublishing'>, logger: Logger): JobDefinition {
  const work = async () => {
    if (await peers.stopPublishing()) logger.warn('no HOST_PEERS: counts of hosts are published no longer');
  };
  return { name: 'stop-publishing-hosts', intervalMs: HOUR_MS, work };
}
