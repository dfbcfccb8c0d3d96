import { topicNames } from '@hopcount/contracts';
import { geoDatabases, networkDatabases } from '@hopcount/links/visitors';
import { type Config, env } from '@hopcount/runtime';
import { z } from 'zod';

/** The consumer's settings, from the environment. */
export const consumerConfigSchema = z.object({
  ...env.services(),
  ...env.traces(),
  ...env.secrets(),
  ...env.ops(8182),
  ...topicNames,
  SESSION_TIMEOUT_MS: env.sessionTimeoutMs(),
  PARTITIONS_CONCURRENTLY: env.positiveInt(3),
  MAX_BYTES_PER_PARTITION: env.positiveInt(2 * 1_024 * 1_024),
  /** How soon partitions added to the topic are read. */
  TOPIC_REFRESH_MS: env.positiveInt(30_000),
  SLOTS: env.slots(),
  AGGREGATE_FROM: env.aggregateFrom(),
  GEO_DATABASES: geoDatabases,
  NETWORK_DATABASES: networkDatabases,
  LEDGER_DAYS: env.ledgerDays(),
});

export type ConsumerConfig = Config<typeof consumerConfigSchema>;
