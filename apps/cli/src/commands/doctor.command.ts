import type { KafkaAdmin } from '@hopcount/kafka';
import type { Database } from '@hopcount/postgres';

import type { CliConfig } from '../cli.config.js';
import { describeError } from '../cli.errors.js';
import { withDatabase, withKafkaAdmin } from '../connections.js';
import { type OutputOptions, type RegisterCommand } from '../context.js';
import {
  checkConsumers,
  checkDeadLetters,
  checkMigrations,
  checkPostgres,
  checkRedis,
  checkRetention,
  checkSpool,
  checkTopics,
} from '../doctor/check-services.js';
import { checkLooseCodes } from '../doctor/check-codes.js';
import { checkHashKeys } from '../doctor/check-hash-keys.js';
import { checkMonths } from '../doctor/check-months.js';
import { checkSurges } from '../doctor/check-surges.js';
import { type Check, fail, ok } from '../doctor/check.js';
import { type Column, plural } from '../output/output.js';

const FAILED = 1;

const HELP = `
Looks at everything a running Hopcount needs and says what to do about what is wrong. Changes nothing.
Exit code 1 when a check fails; warnings do not count.

Examples:
  $ hopcount doctor
  $ hopcount doctor -o json | jq '.[] | select(.status != "ok")'`;

export const registerDoctor: RegisterCommand = (parent, context) => {
  parent
    .command('doctor')
    .description('check services, topics, consumers, losses, dead letters, spool and clocks')
    .addHelpText('after', HELP)
    .action(async ({ output }: OutputOptions) => {
      const config = context.config();
      const checks = [
        ...(await withoutThrowing('postgres', () => withDatabase(config, (database) => checkData(database, config)))),
        ...(await withoutThrowing('kafka', () =>
          withKafkaAdmin(config, async (admin) => [
            ok('kafka', `cluster ${await admin.clusterId()}`),
            ...(await checkTopics(admin, config)),
          ]),
        )),
        ...(await withoutThrowing('redis', async () => [await checkRedis(config)])),
        await checkSpool(config),
      ];
      context.terminal.rows(output, COLUMNS, checks);
      const failed = checks.filter((check) => check.status === 'fail').length;
      const warned = checks.filter((check) => check.status === 'warn').length;
      context.terminal.message(`${plural(checks.length, 'check')}: ${failed} failed, ${plural(warned, 'warning')}.`);
      if (failed > 0) context.exitWith(FAILED);
    });
};

/** What needs the database; what needs Kafka beside it is left out when that is away (its own check says so). */
async function checkData(database: Database, config: CliConfig): Promise<Check[]> {
  const migrations = await checkMigrations(database);
  if (migrations.status === 'fail') return [migrations];
  const withKafka = (name: string, check: (admin: KafkaAdmin) => Promise<Check>) =>
    withoutThrowing(name, () => withKafkaAdmin(config, async (admin) => [await check(admin)]));
  return [
    migrations,
    ...(await checkPostgres(database)),
    await checkMonths(database, config),
    await checkSurges(database),
    ...(config.hopcountSecret === undefined ? [] : [await checkHashKeys(database, config)]),
    ...(config.looseCodes ? [await checkLooseCodes(database)] : []),
    ...(await withKafka('consumers', (admin) => checkConsumers(database, admin, config))),
    ...(await withKafka('retention', (admin) => checkRetention(database, admin, config))),
    ...(await withKafka('dead letters', (admin) => checkDeadLetters(database, admin, config))),
  ];
}

async function withoutThrowing(name: string, checks: () => Promise<Check[]>): Promise<Check[]> {
  try {
    return await checks();
  } catch (error) {
    return [fail(name, describeError(error), 'Do what is said here, then run doctor again.')];
  }
}

const COLUMNS: Column<Check>[] = [
  { name: 'status', heading: 'status', value: (check) => check.status },
  { name: 'check', heading: 'check', value: (check) => check.name },
  { name: 'found', heading: 'found', value: (check) => check.found },
  { name: 'advice', heading: 'what to do', value: (check) => check.advice },
];
