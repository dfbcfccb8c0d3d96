import { hostname } from 'node:os';

import type { KafkaAdmin, KafkaConnection } from '@hopcount/kafka';
import { classifyPostgresError, Database, postgresErrorCode } from '@hopcount/postgres';
import { type Actor, createLogger, isAppError, isTlsFailure, kafkaServers } from '@hopcount/runtime';

import { addressIn, type CliConfig } from './cli.config.js';
import { noSuchTopic, refused, unreachable, untrusted } from './cli.errors.js';
import type { CliContext } from './context.js';
import type { Terminal } from './output/terminal.js';

/** What a command works with that needs PostgreSQL and Kafka. */
export interface Services {
  context: CliContext;
  config: CliConfig;
  terminal: Terminal;
  database: Database;
  admin: KafkaAdmin;
}

/** A command reports what matters itself; the libraries' log lines would mix with its data on stdout. */
export const silentLogger = createLogger({ name: 'hopcount-cli', level: 'silent' });

/** @throws AppError `service-unreachable`, `no-address` */
export async function withDatabase<T>(config: CliConfig, work: (database: Database) => Promise<T>): Promise<T> {
  const url = addressIn(config, 'databaseUrl');
  const database = await Database.connect({
    url,
    applicationName: 'hopcount-cli',
    // Verifying files holds two snapshots and asks beside them.
    poolSize: 4,
    actor: operatorOf(config),
    // Recomputing everything of a large ledger takes longer than any statement of the servers.
    statementTimeoutMs: 30 * 60_000,
  }).catch((error: unknown) => {
    const address = addressOf(url);
    const code = postgresErrorCode(error);
    if (isTlsFailure(code)) throw untrusted('PostgreSQL', address, error);
    // Five characters: a SQLSTATE, so a server answered and would not have us (a name, a password, its limit).
    if (code.length === 5 || hasNoTls(error)) throw refused('PostgreSQL', address, error);
    throw classifyPostgresError(error) === 'unavailable' ? unreachable('PostgreSQL', address, error) : error;
  });
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

/** In the audit log. */
function operatorOf({ hopcountOperator: name }: CliConfig): Actor {
  return { kind: 'cli', id: null, name, address: hostname(), operation: null, requestId: null };
}

type ExpectCluster = (clusterId: string) => Promise<void>;

/**
 * Whatever the brokers' cluster is; all other commands use withKafkaAdmin or withKafka.
 * @throws AppError `service-unreachable`
 */
export async function withAnyCluster<T>(config: CliConfig, work: (admin: KafkaAdmin) => Promise<T>): Promise<T> {
  const { KafkaAdmin } = await import('@hopcount/kafka');
  const admin = new KafkaAdmin(kafkaConnection(config));
  try {
    return await asKafkaFailure(config, () => work(admin));
  } finally {
    await admin.close().catch(() => undefined); // the work is done, or its own error matters
  }
}

/** For a command without a database of its own. @throws AppError `service-unreachable`, `other-cluster` */
export async function withKafkaAdmin<T>(
  config: CliConfig,
  work: (admin: KafkaAdmin) => Promise<T>,
  expectCluster: ExpectCluster = (id) => withDatabase(config, (database) => expectClusterOf(database, id)),
): Promise<T> {
  return withAnyCluster(config, async (admin) => {
    await expectCluster(await admin.clusterId());
    return work(admin);
  });
}

/** @throws AppError `service-unreachable`, `other-cluster` */
export function withKafkaOf<T>(
  database: Database,
  config: CliConfig,
  work: (admin: KafkaAdmin) => Promise<T>,
): Promise<T> {
  return withKafkaAdmin(config, work, (id) => expectClusterOf(database, id));
}

/** For who looks whether PostgreSQL answers, too: while it does not, any cluster is looked at. */
export function withKafkaAlone<T>(config: CliConfig, work: (admin: KafkaAdmin) => Promise<T>): Promise<T> {
  return withKafkaAdmin(config, work, (id) =>
    withDatabase(config, (database) => expectClusterOf(database, id)).catch((error: unknown) => {
      if (!isAppError(error, 'service-unreachable')) throw error;
    }),
  );
}

async function expectClusterOf(database: Database, clusterId: string): Promise<void> {
  const { LedgerCluster } = await import('@hopcount/ledger');
  await new LedgerCluster(database).expect(clusterId);
}

/** @throws AppError `service-unreachable`, `other-cluster` */
export function withServices<T>(context: CliContext, work: (services: Services) => Promise<T>): Promise<T> {
  return withDatabase(context.config(), (database) => withKafka(context, database, work));
}

/** For a command that has PostgreSQL already. @throws AppError `service-unreachable`, `other-cluster` */
export function withKafka<T>(
  context: CliContext,
  database: Database,
  work: (services: Services) => Promise<T>,
): Promise<T> {
  const config = context.config();
  const { terminal } = context;
  return withKafkaOf(database, config, (admin) => work({ context, config, terminal, database, admin }));
}

export function kafkaConnection(config: CliConfig): KafkaConnection {
  const kafkaBrokers = addressIn(config, 'kafkaBrokers');
  return { ...kafkaServers({ ...config, kafkaBrokers }), clientId: 'hopcount-cli', logger: silentLogger };
}

export async function asKafkaFailure<T>(config: CliConfig, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const address = addressIn(config, 'kafkaBrokers').join(', ');
    const causes = causesOf(error);
    const refusal = causes.find(({ name }) => name === 'KafkaJSSASLAuthenticationError');
    if (refusal !== undefined) throw refused('Kafka', address, refusal);
    const mistrust = causes.find((cause) => isTlsFailure(codeOf(cause)));
    if (mistrust !== undefined) throw untrusted('Kafka', address, mistrust);
    // Before the next: kafkajs also retries while a topic is missing, and then throws the same error as for an outage.
    if (causes.some((cause) => 'type' in cause && cause.type === 'UNKNOWN_TOPIC_OR_PARTITION')) {
      throw noSuchTopic(`${config.visitsTopic} or no ${config.deadLetterTopic}`);
    }
    if (causes.some(isConnectionFailure)) throw unreachable('Kafka', address, error);
    throw error;
  }
}

/** The error and what it was caused by. */
function causesOf(error: unknown): Error[] {
  return error instanceof Error ? [error, ...causesOf(error.cause)] : [];
}

function codeOf(error: Error): string {
  return 'code' in error ? String(error.code) : '';
}

function isConnectionFailure(error: Error): boolean {
  const { name } = error;
  if (/KafkaJSConnectionError|KafkaJSNumberOfRetriesExceeded|KafkaJSBrokerNotFound/.test(name)) return true;
  return codeOf(error) === 'ECONNREFUSED';
}

/** pg says it without a code. */
function hasNoTls(error: unknown): boolean {
  return error instanceof Error && error.message.includes('does not support SSL');
}

/** Host and port of a URL: the password stays out of messages. */
function addressOf(url: string): string {
  return URL.parse(url)?.host ?? 'the given address';
}
