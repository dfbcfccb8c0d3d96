import { AUDIT_TOPIC } from '@hopcount/contracts';
import { createKafkaMetrics, KafkaBatchStrategy } from '@hopcount/kafka';
import type { Registry } from '@hopcount/runtime';
import { NestFactory } from '@nestjs/core';

import type { WorkerConfig } from '../worker.config.js';
import { AuditsModule } from './audits.module.js';
import { StoreAudits, type StoreAuditsDeps } from './store-audits.js';

export interface StartAuditsDeps extends Omit<StoreAuditsDeps, 'group' | 'topic'> {
  config: WorkerConfig;
  registry: Registry;
}

/** Reads the audit topic in a group of its own; returns what stops it. */
export async function startAudits(deps: StartAuditsDeps): Promise<{ close: () => Promise<void> }> {
  const { config, registry, logger } = deps;
  const { brokers, auditTopic: topic, sessionTimeoutMs } = config.kafka;
  const group = `${config.kafka.group}-audits`;
  const storeAudits = new StoreAudits({ ...deps, group, topic });
  const strategy = new KafkaBatchStrategy({
    brokers,
    sessionTimeoutMs,
    topic,
    groupId: group,
    clientId: 'hopcount-worker-audits',
    pattern: AUDIT_TOPIC,
    logger,
    metrics: createKafkaMetrics(registry, 'audits_'),
    onAssigned: storeAudits.assign,
  });
  const app = await NestFactory.createMicroservice(AuditsModule.over(storeAudits), { strategy, logger: false });
  await app.listen();
  return { close: () => app.close() };
}
