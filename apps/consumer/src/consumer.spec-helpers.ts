import { setTimeout as sleep } from 'node:timers/promises';

import { DEAD_LETTER_HEADERS, DEAD_LETTER_TOPIC } from '@hopcount/contracts';
import { parseConfig } from '@hopcount/runtime';
import {
  serviceAddress,
  sessionTimeoutMs,
  type TestDatabase,
  testDatabase,
  type TestTopic,
  testTopic,
  waitUntil,
} from '@hopcount/testing';

import { type RunningConsumer, startConsumer } from './consumer.js';
import { consumerConfigSchema } from './consumer.config.js';

/** A whole consumer in this process, on the given topic and database; geography off unless asked for. */
export function startTestConsumer(parts: {
  topic: TestTopic;
  database: TestDatabase;
  deadLetters?: TestTopic;
  orphans?: TestTopic;
  environment?: Record<string, string>;
}): Promise<RunningConsumer> {
  const config = parseConfig(consumerConfigSchema, {
    KAFKA_BROKERS: parts.topic.brokers.join(','),
    DATABASE_URL: parts.database.url,
    REDIS_URL: serviceAddress('REDIS_URL'),
    HOPCOUNT_SECRET: 'a secret for tests that is long enough',
    OPS_PORT: '0',
    LOG_LEVEL: 'fatal',
    VISITS_TOPIC: parts.topic.name,
    DEAD_LETTER_TOPIC: parts.deadLetters?.name ?? DEAD_LETTER_TOPIC,
    ORPHAN_TOPIC: parts.orphans?.name ?? `${parts.topic.name}.no-orphans`,
    HOST_COUNTS_TOPIC: `${parts.topic.name}.no-counts`,
    CONSUMER_GROUP: `group-${parts.topic.name}`,
    SESSION_TIMEOUT_MS: String(sessionTimeoutMs()),
    GEO_DATABASES: '/dev/null/none.mmdb',
    ...parts.environment,
  });
  return startConsumer(config);
}

/** Waits until the ledger holds so many visits (and a little longer, to see one too many). */
export async function ledgerIds(database: TestDatabase, count: number, timeoutMs = 40_000): Promise<string[]> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const rows = await database.query<{ event_id: string }>('SELECT event_id FROM visits');
    if (rows.length >= count || Date.now() > deadline) return rows.map((row) => row.event_id);
    await sleep(50);
  }
}

/** Topics, a database and the consumers a test starts on them. */
export interface ConsumerBench {
  readonly topic: TestTopic;
  readonly deadLetters: TestTopic;
  readonly database: TestDatabase;
  start(environment?: Record<string, string>): Promise<RunningConsumer>;
  /** Every record of the topic is below its partition's checkpoint. */
  untilRead(timeoutMs?: number): Promise<void>;
  /** Visits by ledger, buckets and slots. */
  sums(): Promise<number[]>;
  /** Dead letters by key, with their reasons. */
  letters(): Promise<Record<string, string>>;
  close(): Promise<void>;
}

export async function consumerBench(options: { partitions: number }): Promise<ConsumerBench> {
  const [topic, deadLetters, database] = await Promise.all([
    testTopic({ partitions: options.partitions, label: 'visits' }),
    testTopic({ partitions: 1, label: 'letters' }),
    testDatabase(),
  ]);
  const consumers: RunningConsumer[] = [];
  const isRead = async () => {
    const rows = await database.query<{ partition: number; next_offset: string }>(
      'SELECT partition, next_offset FROM consumer_checkpoints WHERE topic = $1',
      [topic.name],
    );
    const ends = await topic.offsets();
    return ends.every(({ partition, high }) => rows.find((row) => row.partition === partition)?.next_offset === high);
  };
  return {
    topic,
    deadLetters,
    database,
    start: async (environment = {}) => {
      const consumer = await startTestConsumer({ topic, database, deadLetters, environment });
      consumers.push(consumer);
      return consumer;
    },
    untilRead: async (timeoutMs = 30_000) => void (await waitUntil(isRead, { timeoutMs, describe: 'all is read' })),
    sums: async () => {
      const [row] = await database.query<Record<string, number>>(
        `SELECT (SELECT count(*) FROM visits)::int AS ledger,
                (SELECT coalesce(sum(visits), 0) FROM link_traffic)::int AS traffic,
                (SELECT coalesce(sum(visits), 0) FROM link_visit_slots)::int AS slots`,
      );
      return Object.values(row ?? {});
    },
    letters: async () =>
      Object.fromEntries(
        (await deadLetters.readAll()).map(({ key, headers }) => [
          String(key),
          String(headers[DEAD_LETTER_HEADERS.reason]),
        ]),
      ),
    close: async () => {
      await Promise.all(consumers.map((consumer) => consumer.stop()));
      await Promise.all([topic.delete(), deadLetters.delete(), database.drop()]);
    },
  };
}

/** Sum of a metric's lines that contain all of `labels` (`sqlstate="40P01"`). */
export async function metricOf(consumer: RunningConsumer, name: string, ...labels: string[]): Promise<number> {
  const lines = (await (await fetch(`${consumer.opsUrl}/metrics`)).text()).split('\n');
  return lines
    .filter((line) => line.startsWith(`${name}{`) && labels.every((label) => line.includes(label)))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
}

/** One check of /readyz. */
export async function readiness(
  consumer: RunningConsumer,
  check: string,
): Promise<{ status: string; detail?: string }> {
  const report = (await (await fetch(`${consumer.opsUrl}/readyz`)).json()) as {
    checks: Record<string, { status: string; detail?: string }>;
  };
  return report.checks[check] ?? { status: 'missing' };
}
