import { openGeoSources, openNetworks } from '@hopcount/links/visitors';
import { type Logger, secretsOf } from '@hopcount/runtime';

import type { ConsumerConfig } from '../consumer.config.js';
import type { ConsumerMetrics } from '../consumer.metrics.js';
import { createPrepareHere } from './prepare-here.js';
import type { PrepareRecords } from './prepared-records.js';
import { PreparationThread } from './thread-client.js';
import { createVisitSteps } from './visit-steps.js';

export interface Preparation {
  prepare: PrepareRecords;
  close: () => Promise<void>;
}

interface Parts {
  config: ConsumerConfig;
  logger: Logger;
  metrics: Pick<ConsumerMetrics, 'geoFailures' | 'geoBroken'>;
  /** Of preparation/main.ts as it is built; undefined: batches are prepared in this thread. */
  threadUrl: URL | undefined;
}

export async function openPreparation({ config, logger, metrics, threadUrl }: Parts): Promise<Preparation> {
  if (threadUrl === undefined) {
    const options = { logger, onBroken: () => metrics.geoBroken.inc() };
    const steps = createVisitSteps({
      geoSources: openGeoSources(config.geoDatabases, options),
      networks: openNetworks(config.networkDatabases, options),
      hashKeys: secretsOf(config),
      ledgerDays: config.ledgerDays,
      onLookupFailure: () => metrics.geoFailures.inc(),
      logger,
    });
    return { prepare: createPrepareHere(steps), close: () => Promise.resolve() };
  }
  const { thread, broken } = await PreparationThread.start({
    url: threadUrl,
    config,
    onLookupFailures: (count) => metrics.geoFailures.inc(count),
    onLost: endProcess,
  });
  metrics.geoBroken.inc(broken);
  return { prepare: thread.prepare, close: () => thread.close() };
}

/** As an error that nothing handles does, with its trace. */
function endProcess(error: Error): void {
  setImmediate(() => {
    throw error;
  });
}
