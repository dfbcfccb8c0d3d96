import type { KafkaAdmin } from '@hopcount/kafka';
import type { Check, InstantRange } from '@hopcount/ledger';
import type { Database } from '@hopcount/postgres';

import { openArchive } from '../archive/open-archive.js';
import type { CliConfig } from '../cli.config.js';
import { describeError } from '../cli.errors.js';
import { withDatabase, withKafkaAlone, withKafkaOf } from '../connections.js';
import { type OutputOptions, type RegisterCommand } from '../context.js';
import { checkBackup } from '../doctor/check-backup.js';
import { checkHashKeys } from '../doctor/check-hash-keys.js';
import { checkIdSpaces } from '../doctor/check-id-spaces.js';
import { checkBrokers, checkRedis, checkSpool } from '../doctor/check-machine.js';
import { type Column, plural } from '../output/output.js';
import { whileAnswering } from '../while-answering.js';

const FAILED = 1;

const HELP = `
Looks at everything a running Hopcount needs and says what to do about what is wrong. Changes nothing.
A service that hangs is named within 10 seconds. Exit code 1 when a check fails; warnings do not count.

Examples:
  $ hopcount doctor
  $ hopcount doctor -o json | jq '.[] | select(.status != "ok")'`;

export const registerDoctor: RegisterCommand = (parent, context) => {
  parent
    .command('doctor')
    .description('check services, topics, consumers, losses, dead letters, spool and clocks')
    .addHelpText('after', HELP)
    .action(async ({ output }: OutputOptions) => {
      const checks = await checkAll(context.config());
      context.terminal.rows(output, COLUMNS, checks);
      const failed = checks.filter((check) => check.status === 'fail').length;
      const warned = checks.filter((check) => check.status === 'warn').length;
      context.terminal.message(`${plural(checks.length, 'check')}: ${failed} failed, ${plural(warned, 'warning')}.`);
      if (failed > 0) context.exitWith(FAILED);
    });
};

/** Beside each other: a service that hangs delays no other. */
async function checkAll(config: CliConfig): Promise<Check[]> {
  const { checkCopies, checkTopics, ok, withoutThrowing } = await import('@hopcount/ledger');
  const guarded = (name: string, checks: () => Promise<Check[]>) => withoutThrowing(name, describeError, checks);
  const ofDatabase = () => withDatabase(config, (database) => checkDatabase(database, config));
  const ofKafka = async (admin: KafkaAdmin) => [
    ok('kafka', `cluster ${await admin.clusterId()}`),
    ...(await checkTopics(admin, config)),
    await checkCopies(admin, config),
  ];
  const groups = await Promise.all([
    guarded('postgres', () => whileAnswering(config, ['PostgreSQL'], ofDatabase)),
    guarded('kafka', () => whileAnswering(config, ['Kafka'], (used) => withKafkaAlone(used, ofKafka))),
    guarded('brokers', async () => [await checkBrokers(config)]),
    guarded('redis', () => checkRedis(config)),
    guarded('spool', async () => [await checkSpool(config)]),
    guarded('backup', () => checkBackup(config)),
  ]);
  return groups.flat();
}

async function checkDatabase(database: Database, config: CliConfig): Promise<Check[]> {
  const { checkData } = await import('@hopcount/ledger');
  const { checkFiles } = await import('@hopcount/archive');
  const dueHours = async (range: InstantRange) => (await openArchive(database, config)).manifest.dueHours(range);
  return checkData({
    ...{ database, config, describeError, ledgerDays: config.ledgerDays },
    dueHours: config.archiveUrl === undefined ? undefined : dueHours,
    archiveFiles: () => checkFiles(database),
    idSpaces: () => checkIdSpaces(database, config),
    hashKeys: config.hopcountSecret === undefined ? undefined : () => checkHashKeys(database, config),
    withKafka: (work) => whileAnswering(config, ['Kafka'], (used) => withKafkaOf(database, used, work)),
  });
}

const COLUMNS: Column<Check>[] = [
  { name: 'status', heading: 'status', value: (check) => check.status },
  { name: 'check', heading: 'check', value: (check) => check.name },
  { name: 'found', heading: 'found', value: (check) => check.found },
  { name: 'advice', heading: 'what to do', value: (check) => check.advice },
];
