import type { KafkaAdmin } from '@hopcount/kafka';
import type { Check } from '@hopcount/ledger';
import { type Database, postgresErrorCode } from '@hopcount/postgres';

import type { CliConfig } from '../cli.config.js';
import { describeError } from '../cli.errors.js';
import { kafkaConnection, withDatabase, withKafkaAlone, withKafkaOf } from '../connections.js';
import { type OutputOptions, type RegisterCommand } from '../context.js';
import { type Column, plural } from '../output/output.js';

const FAILED = 1;
/** Visits that are looked at: one version writes nearly all of them, so a few tell. */
const NEWEST = 200;
/** Statements of this version on the schema of an earlier one: a table, a column, a function that is still to come. */
const NOT_THERE_YET = new Set(['42P01', '42703', '42883']);
const READ_SOURCES = `SELECT DISTINCT source FROM source_audits WHERE minute > now() - interval '10 minutes' ORDER BY 1`;

const HELP = `
Run the hopcount of the version you upgrade to, before its first process starts. Says what its migrations do and
whether one would make commits wait, which versions run and read what it writes, and whether all is in a state to be
changed. Changes nothing. Exit code 1 when a check fails: then do not begin; warnings do not count.
The order is: migrate, consumers, workers, api, gateways (docs/operations/upgrade.md).

Examples:
  $ hopcount upgrade check
  $ hopcount upgrade check -o json | jq -e .mayBegin`;

export const registerUpgradeCheck: RegisterCommand = (parent, context) => {
  parent
    .command('check')
    .description('say whether an upgrade to this version may begin')
    .addHelpText('after', HELP)
    .action(async ({ output }: OutputOptions) => {
      const config = context.config();
      const { withoutThrowing } = await import('@hopcount/ledger');
      const checks = [
        ...(await withoutThrowing('postgres', describeError, () =>
          withDatabase(config, (database) => checkDatabase(database, config)),
        )),
        ...(await withoutThrowing('kafka', describeError, () =>
          withKafkaAlone(config, (admin) => checkKafka(admin, config)),
        )),
      ];
      const failed = checks.filter(({ status }) => status === 'fail').length;
      const warned = checks.filter(({ status }) => status === 'warn').length;
      context.terminal.rows(output, COLUMNS, checks, (rows) => ({ mayBegin: failed === 0, checks: rows }));
      const counts = `${plural(checks.length, 'check')}: ${failed} failed, ${plural(warned, 'warning')}`;
      context.terminal.message(`${counts}. The upgrade ${failed === 0 ? 'may' : 'may not'} begin.`);
      if (failed > 0) context.exitWith(FAILED);
    });
};

async function checkDatabase(database: Database, config: CliConfig): Promise<Check[]> {
  const [ledger, { checkPending }, { checkSafety }, { judgeGateways }] = await Promise.all([
    import('@hopcount/ledger'),
    import('../upgrade/check-pending.js'),
    import('../upgrade/check-safety.js'),
    import('../upgrade/check-versions.js'),
  ]);
  const { checkConsumers, checkDeadLetters, checkRetention, warn } = ledger;
  const guarded = async (name: string, checks: () => Promise<Check[]>): Promise<Check[]> =>
    ledger.withoutThrowing(name, describeError, () =>
      checks().catch((error: unknown) => {
        if (!NOT_THERE_YET.has(postgresErrorCode(error) ?? '')) throw error;
        return [warn(name, 'cannot be told with this schema', 'Ask the running version: `hopcount doctor`.')];
      }),
    );
  const inKafka = (name: string, check: (admin: KafkaAdmin) => Promise<Check>) =>
    guarded(name, async () => [await withKafkaOf(database, config, check)]);
  return [
    ...(await guarded('schema', () => checkPending(database))),
    ...(await guarded('backup', () => checkSafety(database))),
    ...(await guarded('versions of gateways', async () => {
      const rows = await database.query<{ source: string }>(READ_SOURCES);
      return [judgeGateways(rows.map(({ source }) => source))];
    })),
    ...(await inKafka('consumers', (admin) => checkConsumers(database, admin, config))),
    ...(await inKafka('retention', (admin) => checkRetention(database, admin, config))),
    ...(await inKafka('dead letters', (admin) => checkDeadLetters(database, admin, config))),
  ];
}

async function checkKafka(admin: KafkaAdmin, config: CliConfig): Promise<Check[]> {
  const [{ checkCopies, checkTopics }, { judgeConsumers, judgeWritten, versionsOf }, { readNewestRecords }] =
    await Promise.all([import('@hopcount/ledger'), import('../upgrade/check-versions.js'), import('@hopcount/kafka')]);
  const { records } = await readNewestRecords(kafkaConnection(config), { topic: config.visitsTopic, limit: NEWEST });
  return [
    judgeConsumers(await admin.groupMembers(config.consumerGroup)),
    judgeWritten(versionsOf(records.map(({ value }) => value))),
    ...(await checkTopics(admin, config)),
    await checkCopies(admin, config),
  ];
}

const COLUMNS: Column<Check>[] = [
  { name: 'status', heading: 'status', value: (check) => check.status },
  { name: 'check', heading: 'check', value: (check) => check.name },
  { name: 'found', heading: 'found', value: (check) => check.found },
  { name: 'advice', heading: 'what to do', value: (check) => check.advice },
];
