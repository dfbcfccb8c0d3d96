import { setTimeout as sleep } from 'node:timers/promises';

import { AUDIT_TOPIC, DEAD_LETTER_TOPIC } from '@hopcount/contracts';
import { parseConfig } from '@hopcount/runtime';
import { serviceAddress, type TestDatabase, type TestTopic } from '@hopcount/testing';

import { type RunningConsumer, startConsumer } from './consumer.js';
import { consumerConfigSchema } from './consumer.config.js';

/** A whole consumer in this process, on the given topic and database; geography off unless asked for. */
export function startTestConsumer(parts: {
  topic: TestTopic;
  database: TestDatabase;
  deadLetters?: TestTopic;
  audits?: TestTopic;
  environment?: Record<string, string>;
}): Promise<RunningConsumer> {
  const config = parseConfig(consumerConfigSchema, {
    KAFKA_BROKERS: parts.topic.brokers.join(','),
    DATABASE_URL: parts.database.url,
    REDIS_URL: serviceAddress('REDIS_URL'),
    HOPCOUNT_SECRET: 'a secret for tests that is long enough',
    CONSUMER_PORT: '0',
    LOG_LEVEL: 'fatal',
    VISITS_TOPIC: parts.topic.name,
    DEAD_LETTER_TOPIC: parts.deadLetters?.name ?? DEAD_LETTER_TOPIC,
    AUDIT_TOPIC: parts.audits?.name ?? AUDIT_TOPIC,
    CONSUMER_GROUP: `group-${parts.topic.name}`,
    SESSION_TIMEOUT_MS: '6000',
    GEO_DATABASES: '/dev/null/none.mmdb',
    ...parts.environment,
  });
  return startConsumer(config, 'test');
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
