import type { KafkaAdmin } from '@hopcount/kafka';
import { countDeadLetters, countUncounted, pendingAgeMs, readLag, totalLost, totalPending } from '@hopcount/ledger';
import type { Database } from '@hopcount/postgres';
import { Gauge, type Logger, type Registry } from '@hopcount/runtime';

import { askedAtMost } from './asked-at-most.js';
import type { WorkerConfig } from './worker.config.js';

const FRESH_MS = 10_000;
const RETENTION_FRESH_MS = 300_000;
const DAY_MS = 86_400_000;

interface Services {
  config: Pick<
    WorkerConfig,
    'visitsTopic' | 'deadLetterTopic' | 'auditTopic' | 'orphanTopic' | 'hostCountsTopic' | 'consumerGroup'
  >;
  database: Database;
  admin: KafkaAdmin;
  logger: Pick<Logger, 'warn'>;
}

/**
 * How far counting is behind, told by somebody who is there while no consumer is. Measured when it is scraped, at most
 * every 10 s; every worker tells the same. NaN while Kafka or PostgreSQL do not answer: an alert on a number says nothing then.
 */
export function measureCounting(registry: Registry, services: Services): void {
  const gauge = (name: string, help: string, read: () => Promise<number | undefined>) =>
    new Gauge({
      ...{ name, help, registers: [registry] },
      async collect() {
        this.set((await read()) ?? NaN);
      },
    });
  gaugeLag(gauge, services);
  gaugeUncounted(gauge, services);
}

type DeclareGauge = (name: string, help: string, read: () => Promise<number | undefined>) => void;

function gaugeLag(gauge: DeclareGauge, services: Services): void {
  const { config, admin, logger } = services;
  const retention = askedAtMost(logger, RETENTION_FRESH_MS, () => retentionMsOf(admin, config.visitsTopic));
  const lag = askedAtMost(logger, FRESH_MS, () => measureLag(services));
  const toSeconds = (ms: number | undefined) => ms && ms / 1_000;
  gauge(
    'hopcount_visits_pending_records',
    'Visits in Kafka that are not counted yet.',
    async () => (await lag())?.pending,
  );
  gauge(
    'hopcount_visits_pending_age_seconds',
    "Since the broker took the oldest visit that is not counted yet, an eighth less at most; 0: none is. Lag in seconds, by the broker's clock.",
    async () => toSeconds((await lag())?.ageMs),
  );
  gauge(
    'hopcount_visits_retention_seconds',
    'How long Kafka keeps a visit, counted or not; +Inf: for ever.',
    async () => toSeconds(await retention()),
  );
  gauge(
    'hopcount_visits_lost_records',
    'Visits that retention removed before they were counted, as far back as it is known; must be 0.',
    async () => (await lag())?.lost,
  );
}

function gaugeUncounted(gauge: DeclareGauge, { config, database, admin, logger }: Services): void {
  const letters = askedAtMost(logger, FRESH_MS, () => countDeadLetters(database, admin, config));
  const uncounted = askedAtMost(logger, FRESH_MS, () =>
    countUncounted(database, { from: Date.now() - DAY_MS, to: Date.now() + DAY_MS }),
  );
  gauge(
    'hopcount_dead_letters_waiting',
    'Dead letters that nobody has redriven or discarded.',
    async () => (await letters())?.waiting,
  );
  gauge(
    'hopcount_dead_letters_kept',
    'Dead letters in the topic, whatever became of them.',
    async () => (await letters())?.letters,
  );
  gauge(
    'hopcount_uncounted_visits',
    'Visits of the last 24 hours known not to be counted: answered without a durable visit, missing in an audit, dead letters.',
    uncounted,
  );
}

async function measureLag({ config, database, admin }: Services) {
  const lag = await readLag({ config, database, admin });
  const offsetsAt = (timestampMs: number) => admin.offsetsAt(config.visitsTopic, timestampMs);
  const ageMs = await pendingAgeMs(lag, { offsetsAt, nowMs: Date.now(), longestMs: 64 * DAY_MS });
  return { pending: Number(totalPending(lag)), lost: Number(totalLost(lag)), ageMs };
}

async function retentionMsOf(admin: KafkaAdmin, topic: string): Promise<number> {
  const { settings } = await admin.describeTopic(topic);
  const retentionMs = Number(settings.get('retention.ms') ?? -1);
  return retentionMs < 0 ? Infinity : retentionMs;
}
