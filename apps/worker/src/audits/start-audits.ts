import { type BatchService, createKafkaMetrics, type KafkaConnection, startBatchService } from '@hopcount/kafka';
import type { Registry } from '@hopcount/runtime';

import type { WorkerConfig } from '../worker.config.js';
import { StoreAudits, type StoreAuditsDeps } from './store-audits.js';

export interface StartAuditsDeps extends Omit<StoreAuditsDeps, 'group' | 'topic'> {
  config: WorkerConfig;
  connection: KafkaConnection;
  registry: Registry;
}

/** Reads the audit topic in a group of its own. */
export function startAudits(deps: StartAuditsDeps): Promise<BatchService> {
  const { config, registry } = deps;
  const { auditTopic: topic, sessionTimeoutMs } = config;
  const group = `${config.consumerGroup}-audits`;
  const storeAudits = new StoreAudits({ ...deps, group, topic });
  const options = {
    ...deps.connection,
    sessionTimeoutMs,
    topic,
    groupId: group,
    clientId: 'hopcount-worker-audits',
    metrics: createKafkaMetrics(registry, 'audits_'),
    onAssigned: storeAudits.assign,
  };
  return startBatchService(options, (batch) => storeAudits.onBatch(batch));
}
