import { AUDIT_TOPIC, STATISTICS_GROUP, VISITS_TOPIC } from '@hopcount/contracts';
import { env } from '@hopcount/runtime';
import { parseTimeZone } from '@hopcount/statistics';
import { z } from 'zod';

/** The worker's settings, from the environment. */
export const workerConfigSchema = z
  .object({
    KAFKA_BROKERS: env.kafkaBrokers(),
    DATABASE_URL: env.databaseUrl(),
    REDIS_URL: env.redisUrl(),
    ...env.ops(8183),
    LOG_LEVEL: env.logLevel(),
    VISITS_TOPIC: z.string().default(VISITS_TOPIC),
    AUDIT_TOPIC: z.string().default(AUDIT_TOPIC),
    /** Of the consumers whose counts the audits are held against. */
    CONSUMER_GROUP: z.string().default(STATISTICS_GROUP),
    SESSION_TIMEOUT_MS: env.positiveInt(10_000),
    SLOTS: env.slots(),
    REPORTING_TIME_ZONE: z.string().transform(parseTimeZone).default('UTC'),
    FOLD_HOUR_VISITS: env.positiveInt(500),
    FOLD_DAY_VISITS: env.positiveInt(50),
    FOLD_INTERVAL_MS: env.positiveInt(60_000),
    TOTALS_INTERVAL_MS: env.positiveInt(1_000),
    HEAT_INTERVAL_MS: env.positiveInt(5_000),
    RECONCILE_INTERVAL_MS: env.positiveInt(5_000),
    LEDGER_RETENTION_DAYS: env.ledgerRetentionDays(),
    ORPHAN_RETENTION_DAYS: env.positiveInt(90),
    ORPHAN_VISITS_KEPT: env.positiveInt(1_000_000),
  })
  .transform((given) => ({
    kafka: {
      brokers: given.KAFKA_BROKERS,
      topic: given.VISITS_TOPIC,
      auditTopic: given.AUDIT_TOPIC,
      group: given.CONSUMER_GROUP,
      sessionTimeoutMs: given.SESSION_TIMEOUT_MS,
    },
    databaseUrl: given.DATABASE_URL,
    redisUrl: given.REDIS_URL,
    ops: { host: given.OPS_HOST, port: given.OPS_PORT, name: given.PROCESS_NAME },
    logLevel: given.LOG_LEVEL,
    slots: given.SLOTS,
    reconcileIntervalMs: given.RECONCILE_INTERVAL_MS,
    ledgerRetentionDays: given.LEDGER_RETENTION_DAYS,
    orphanRetention: { days: given.ORPHAN_RETENTION_DAYS, maxRows: given.ORPHAN_VISITS_KEPT },
    folding: {
      reportingTimeZone: given.REPORTING_TIME_ZONE,
      hourVisits: given.FOLD_HOUR_VISITS,
      dayVisits: given.FOLD_DAY_VISITS,
      intervalMs: given.FOLD_INTERVAL_MS,
      totalsIntervalMs: given.TOTALS_INTERVAL_MS,
      heatIntervalMs: given.HEAT_INTERVAL_MS,
    },
  }));

export type WorkerConfig = z.output<typeof workerConfigSchema>;
