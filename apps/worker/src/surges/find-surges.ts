import { HOST_KINDS } from '@hopcount/contracts';
import { asciiOf } from '@hopcount/hosts';
import { readCheckpoints } from '@hopcount/ledger';
import { daysBeforeIn } from '@hopcount/statistics';

import { type JobDefinition, VISITS_OF_LATE } from '../jobs/interval-job.js';
import type { JobsDeps } from '../jobs/start-jobs.js';
import { PartitionImbalance } from './partition-imbalance.js';
import { SurgeSearch } from './surge-search.js';

const INTERVAL_MS = 5_000;

/** Looks for hosts that surge as far as visits are counted, never further: a backlog is no surge. Two of them at once tell each once. */
export function findSurges({
  config,
  database,
  counted,
  metrics,
  logger,
}: Pick<JobsDeps, 'config' | 'database' | 'counted' | 'metrics' | 'logger'>): JobDefinition {
  const search = new SurgeSearch(database, daysBeforeIn(config.reportingTimeZone));
  const partitions = new PartitionImbalance();
  const { consumerGroup, visitsTopic } = config;
  const work = async (signal: AbortSignal) => {
    // Before the search: what was counted by then is in what it reads.
    const countedUpTo = await counted.measure().catch(() => undefined);
    const { surges, skippedMs } = await search.search(countedUpTo, signal);
    if (skippedMs > 0)
      logger.warn({ skippedMs }, 'too much to be searched for surges of hosts at once; went on behind it');
    const { open, delaySeconds } = await search.measure();
    metrics.hostSurgesOpen.set(open);
    metrics.hostSearchDelay.set(delaySeconds);
    const checkpoints = await readCheckpoints(database, consumerGroup, visitsTopic);
    metrics.partitionImbalance.set(partitions.look(performance.now(), checkpoints));
    metrics.hostSlotImbalance.reset();
    for (const [kind, ratio] of search.imbalance()) metrics.hostSlotImbalance.set({ kind }, ratio);
    for (const { host, event } of surges) {
      const { what, at, visits, base } = event;
      metrics.hostSurges.inc({ kind: HOST_KINDS[host.kind] ?? '', what });
      const surge = {
        host: asciiOf(host.name),
        what,
        at: new Date(at),
        visits: Math.round(visits),
        usual: base.visits,
      };
      logger.info({ surge }, 'surge of a host');
    }
  };
  const waitsFor = `EXISTS (SELECT FROM host_surges) OR ${VISITS_OF_LATE}`;
  return { name: 'find-surges', intervalMs: INTERVAL_MS, waitsFor, work };
}
