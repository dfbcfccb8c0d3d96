import { ORPHAN_TOPIC } from '@hopcount/contracts';
import { createKafkaMetrics, type DeadLetterWriter, KafkaBatchStrategy } from '@hopcount/kafka';
import type { Database } from '@hopcount/postgres';
import type { Logger, Registry } from '@hopcount/runtime';
import { BatchAttempts, OrphanCommitter, PartitionCheckpoints } from '@hopcount/ledger';
import { NestFactory } from '@nestjs/core';

import { type AssignPartitionsDeps, createAssignPartitions } from '../assignment/assign-partitions.js';
import { OwnedPartitions } from '../assignment/owned-partitions.js';
import type { ConsumerConfig } from '../consumer.config.js';
import type { ConsumerMetrics } from '../consumer.metrics.js';
import type { GeoSource } from '../enrich/locate-visitor.js';
import type { RecordsInHand } from '../guard/records-in-hand.js';
import { createOrphanPipeline } from './orphan-pipeline.js';
import { OrphansModule } from './orphans.module.js';

export interface StartOrphansDeps {
  config: ConsumerConfig;
  registry: Registry;
  database: Database;
  admin: AssignPartitionsDeps['admin'];
  /** Not noted as refused visits: no gateway reports orphans as durable. */
  deadLetters: Pick<DeadLetterWriter, 'write'>;
  geoSources: readonly GeoSource[];
  inHand: RecordsInHand;
  owner: string;
  metrics: ConsumerMetrics;
  logger: Logger;
}

/** Reads the topic of orphan visits in a group of its own; returns what stops it. */
export async function startOrphans(deps: StartOrphansDeps): Promise<{ close: () => Promise<void> }> {
  const { config, registry, database, owner, logger } = deps;
  const { brokers, orphanTopic: topic, sessionTimeoutMs } = config.kafka;
  const group = `${config.kafka.group}-orphans`;
  const owned = new OwnedPartitions();
  const attempts = new BatchAttempts(database, owner);
  const committer = new OrphanCommitter(database, { slots: config.slots });
  const pipeline = createOrphanPipeline({ ...deps, owned, attempts, committer });
  const checkpoints = new PartitionCheckpoints(database);
  const strategy = new KafkaBatchStrategy({
    brokers,
    sessionTimeoutMs,
    topic,
    groupId: group,
    clientId: 'hopcount-consumer-orphans',
    pattern: ORPHAN_TOPIC,
    logger,
    metrics: createKafkaMetrics(registry, 'orphans_'),
    onAssigned: createAssignPartitions({ ...deps, group, topic, checkpoints, attempts, owned }),
    // Never more than one transaction beside those of visits.
    partitionsConcurrently: 1,
  });
  const app = await NestFactory.createMicroservice(OrphansModule.over(pipeline), { strategy, logger: false });
  await app.listen();
  return { close: () => app.close() };
}
