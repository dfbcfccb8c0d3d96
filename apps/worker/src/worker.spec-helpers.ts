import { type Logger, parseConfig } from '@hopcount/runtime';
import { serviceAddress, type TestDatabase } from '@hopcount/testing';

import { type RunningWorker, startWorker } from './worker.js';
import { workerConfigSchema } from './worker.config.js';

/** A whole worker in this process; `topic` is what the visits' topic is called for it. */
export function startTestWorker(parts: {
  topic: string;
  auditTopic?: string;
  database: TestDatabase;
  environment?: Record<string, string>;
}): Promise<RunningWorker> {
  const config = parseConfig(workerConfigSchema, {
    KAFKA_BROKERS: serviceAddress('KAFKA_BROKERS'),
    DATABASE_URL: parts.database.url,
    REDIS_URL: serviceAddress('REDIS_URL'),
    OPS_PORT: '0',
    LOG_LEVEL: 'fatal',
    VISITS_TOPIC: parts.topic,
    AUDIT_TOPIC: parts.auditTopic ?? `${parts.topic}.no-audits`,
    CONSUMER_GROUP: `group-${parts.topic}`,
    SESSION_TIMEOUT_MS: '6000',
    ...parts.environment,
  });
  return startWorker(config);
}

/** A logger whose lines of errors can be read. */
export function recordedLog() {
  const errors: string[] = [];
  const error = (fields: object, message: string) => void errors.push(`${message} ${JSON.stringify(fields)}`);
  return { errors, logger: { ...silent, error } as unknown as Logger };
}
const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
