import { readFileSync } from 'node:fs';
import { hostname, userInfo } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

import {
  AUDIT_TOPIC,
  DEAD_LETTER_TOPIC,
  ORPHAN_TOPIC,
  STATISTICS_GROUP,
  stackFileSchema,
  VISITS_TOPIC,
} from '@hopcount/contracts';
import { AppError, env, parseConfig } from '@hopcount/runtime';
import { z } from 'zod';

const REPOSITORY = fileURLToPath(new URL('../../../', import.meta.url));

const schema = z.object({
  DATABASE_URL: env.databaseUrl(),
  REDIS_URL: env.redisUrl(),
  KAFKA_BROKERS: env.kafkaBrokers(),
  /** As the consumers have it: `off` keeps no slots, so verify cannot check them. */
  SLOTS: env.slots(),
  /** As the consumers have them. */
  VISITS_TOPIC: z.string().default(VISITS_TOPIC),
  DEAD_LETTER_TOPIC: z.string().default(DEAD_LETTER_TOPIC),
  AUDIT_TOPIC: z.string().default(AUDIT_TOPIC),
  ORPHAN_TOPIC: z.string().default(ORPHAN_TOPIC),
  CONSUMER_GROUP: z.string().default(STATISTICS_GROUP),
  LEDGER_RETENTION_DAYS: env.ledgerRetentionDays(),
  /** As the gateways of this machine have it; the local stack's unless told. */
  SPOOL_DIR: z.string().optional(),
  /** Who operates, for the rows of operator_actions; the system's user and host unless told. */
  HOPCOUNT_OPERATOR: z.string().min(1).max(200).optional(),
});

export interface CliConfig {
  databaseUrl: string;
  redisUrl: string;
  kafkaBrokers: string[];
  slots: 'on' | 'off';
  visitsTopic: string;
  deadLetterTopic: string;
  auditTopic: string;
  orphanTopic: string;
  group: string;
  ledgerRetentionDays: number;
  operator: string;
  /** Where this machine's gateways keep visits while Kafka is away. */
  spoolDir: string;
}

/**
 * Where to connect: the environment, else the running local stack (`<data dir>/stack.json`), else
 * the local stack's default addresses.
 * @throws AppError `invalid-config`
 */
export function parseCliConfig(environment: NodeJS.ProcessEnv): CliConfig {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const parsed = parseConfig(schema, { ...stackAddresses(given['HOPCOUNT_DATA_DIR']), ...given });
  return Object.freeze({
    databaseUrl: parsed.DATABASE_URL,
    redisUrl: parsed.REDIS_URL,
    kafkaBrokers: parsed.KAFKA_BROKERS,
    slots: parsed.SLOTS === 'off' ? 'off' : 'on',
    visitsTopic: parsed.VISITS_TOPIC,
    deadLetterTopic: parsed.DEAD_LETTER_TOPIC,
    auditTopic: parsed.AUDIT_TOPIC,
    orphanTopic: parsed.ORPHAN_TOPIC,
    group: parsed.CONSUMER_GROUP,
    ledgerRetentionDays: parsed.LEDGER_RETENTION_DAYS,
    operator: parsed.HOPCOUNT_OPERATOR ?? systemOperator(),
    spoolDir: resolve(parsed.SPOOL_DIR ?? join(dataDirOf(given['HOPCOUNT_DATA_DIR']), 'spool')),
  });
}

function systemOperator(): string {
  try {
    return `${userInfo().username}@${hostname()}`;
  } catch {
    return `?@${hostname()}`; // a user id without a name, as containers have
  }
}

function dataDirOf(dataDir: string | undefined): string {
  return dataDir === undefined ? join(REPOSITORY, '.data') : resolve(dataDir);
}

function stackAddresses(dataDir: string | undefined): Record<string, string> {
  const path = join(dataDirOf(dataDir), 'stack.json');
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    return {}; // no stack runs here: the defaults name where one would
  }
  const stack = stackFileSchema.safeParse(parseJson(path, text));
  if (!stack.success) throw new AppError('invalid-config', `${path} is not a stack file: start the stack again.`);
  return {
    DATABASE_URL: stack.data.databaseUrl,
    REDIS_URL: stack.data.redisUrl,
    KAFKA_BROKERS: stack.data.kafkaBrokers,
  };
}

function parseJson(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new AppError('invalid-config', `${path} is not JSON: start the stack again.`, { cause: error });
  }
}
