import { type BatchService, createKafkaMetrics, startBatchService } from '@hopcount/kafka';
import { kafkaServers, type Registry } from '@hopcount/runtime';

import type { WorkerConfig } from '../worker.config.js';
import { StoreAudits, type StoreAuditsDeps } from './store-audits.js';

export interface StartAuditsDeps extends Omit<StoreAuditsDeps, 'group' | 'topic'> {
  config: WorkerConfig;
  registry: Registry;
}

/** Reads the audit topic in a group of its own. */
export function startAudits(deps: StartAuditsDeps): Promise<BatchService> {
  const { config, registry, logger } = deps;
  const { auditTopic: topic, sessionTimeoutMs } = config;
  const group = `${config.consumerGroup}-audits`;
  const storeAudits = new StoreAudits({ ...deps, group, topic });
  const options = {
    ...kafkaServers(config),
    sessionTimeoutMs,
    topic,
    groupId: group,
    clientId: 'hopcount-worker-audits',
    logger,
    metrics: createKafkaMetrics(registry, 'audits_'),
    onAssigned: storeAudits.assign,
  };
  return startBatchService(options, (batch) => storeAudits.onBatch(batch));
}
