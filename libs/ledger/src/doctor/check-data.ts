import type { KafkaAdmin } from '@hopcount/kafka';
import type { Database } from '@hopcount/postgres';

import { checkLooseCodes } from './check-codes.js';
import { checkMonths, type MonthsOptions } from './check-months.js';
import { checkPeers } from './check-peers.js';
import { checkConsumers, checkDeadLetters, checkMigrations, checkPostgres, checkRetention } from './check-services.js';
import { checkSums } from './check-sums.js';
import { checkSurges } from './check-surges.js';
import type { TopicNames } from './check-topic.js';
import { type Check, fail, type Said } from './check.js';

export interface DataToCheck extends MonthsOptions {
  database: Database;
  config: TopicNames & { looseCodes: boolean };
  /** Whether people are found by the hashes that consumers store; left out: the keys are not known here. */
  hashKeys?: (() => Promise<Check>) | undefined;
  /** Whether codes or ids of links are nearly used up. */
  idSpaces?: (() => Promise<Check>) | undefined;
  /** Whether files of the archive are known to be damaged. */
  archiveFiles?: (() => Promise<Check>) | undefined;
  withKafka: (work: (admin: KafkaAdmin) => Promise<Check>) => Promise<Check>;
  /** For people. */
  describeError: DescribeError;
}

type DescribeError = (error: unknown) => string | { found: string; said: Said };

/** What needs the database; what needs Kafka beside it fails alone when that is away. */
export async function checkData(given: DataToCheck): Promise<Check[]> {
  const { database, config, archiveFiles, idSpaces, hashKeys, withKafka, describeError } = given;
  const migrations = await checkMigrations(database);
  if (migrations.status === 'fail') return [migrations];
  const inKafka = (name: string, check: (admin: KafkaAdmin) => Promise<Check>) =>
    withoutThrowing(name, describeError, async () => [await withKafka(check)]);
  return [
    migrations,
    ...(await checkPostgres(database)),
    await checkMonths(database, given),
    await checkSums(database),
    ...(archiveFiles === undefined ? [] : [await archiveFiles()]),
    await checkSurges(database),
    ...(await checkPeers(database)),
    ...(idSpaces === undefined ? [] : [await idSpaces()]),
    ...(hashKeys === undefined ? [] : [await hashKeys()]),
    ...(config.looseCodes ? [await checkLooseCodes(database)] : []),
    // Beside each other: of brokers that are away each says so after a while.
    ...(
      await Promise.all([
        inKafka('consumers', (admin) => checkConsumers(database, admin, config)),
        inKafka('retention', (admin) => checkRetention(database, admin, config)),
        inKafka('dead letters', (admin) => checkDeadLetters(database, admin, config)),
      ])
    ).flat(),
  ];
}

export async function withoutThrowing(
  name: string,
  describeError: DescribeError,
  checks: () => Promise<Check[]>,
): Promise<Check[]> {
  try {
    return await checks();
  } catch (error) {
    const described = describeError(error);
    const { found, said } = typeof described === 'string' ? { found: described, said: undefined } : described;
    return [fail(name, found, 'Do what is said here, then run doctor again.', said)];
  }
}
