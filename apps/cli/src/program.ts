import { AppError, builtVersion } from '@hopcount/runtime';
import { Command, Option } from 'commander';

import {
  registerApiKeysDisable,
  registerApiKeysEnable,
  registerApiKeysRevoke,
  registerApiKeysRotate,
} from './commands/api-keys-change.command.js';
import { registerApiKeysCreate } from './commands/api-keys-create.command.js';
import { registerApiKeysList } from './commands/api-keys-list.command.js';
import { registerArchiveCompact } from './commands/archive-compact.command.js';
import { registerArchiveList } from './commands/archive-list.command.js';
import { registerArchiveRestore } from './commands/archive-restore.command.js';
import { registerArchiveSeal } from './commands/archive-seal.command.js';
import { registerArchiveVerify } from './commands/archive-verify.command.js';
import { registerAuditExport } from './commands/audit-export.command.js';
import { registerAuditList } from './commands/audit-list.command.js';
import { registerBackupConfigure } from './commands/backup-configure.command.js';
import { registerBackupRun } from './commands/backup-run.command.js';
import { registerBlocksAdd } from './commands/blocks-add.command.js';
import { registerBlocksImport } from './commands/blocks-import.command.js';
import { registerBlocksList } from './commands/blocks-list.command.js';
import { registerBlocksRemove } from './commands/blocks-remove.command.js';
import { registerBlocksReports } from './commands/blocks-reports.command.js';
import { registerClusterBind } from './commands/cluster-bind.command.js';
import { registerDeadLettersDiscard } from './commands/dead-letters-discard.command.js';
import { registerDeadLettersList } from './commands/dead-letters-list.command.js';
import { registerDeadLettersRedrive } from './commands/dead-letters-redrive.command.js';
import { registerDeadLettersShow } from './commands/dead-letters-show.command.js';
import { registerDeadLettersStats } from './commands/dead-letters-stats.command.js';
import { registerDoctor } from './commands/doctor.command.js';
import { registerExportLinks } from './commands/export-links.command.js';
import { registerExportVisits } from './commands/export-visits.command.js';
import { registerImport } from './commands/import.command.js';
import { registerLag } from './commands/lag.command.js';
import { registerLimitsSet, registerLimitsUnset } from './commands/limits-change.command.js';
import { registerLimitsShow } from './commands/limits-show.command.js';
import { registerMigrate } from './commands/migrate.command.js';
import { registerRebuild } from './commands/rebuild.command.js';
import { registerRelabel } from './commands/relabel.command.js';
import { registerReplay } from './commands/replay.command.js';
import { registerRestore } from './commands/restore.command.js';
import { registerHostsAlerts } from './commands/hosts-alerts.command.js';
import { registerHostsBatches, registerHostsReverse } from './commands/hosts-batches.command.js';
import { registerHostsCompare } from './commands/hosts-compare.command.js';
import { registerHostsForgetPeer } from './commands/hosts-forget-peer.command.js';
import { registerHostsReport } from './commands/hosts-report.command.js';
import { registerHostsShow } from './commands/hosts-show.command.js';
import { registerHostsTop } from './commands/hosts-top.command.js';
import { registerRolloutJudge } from './commands/rollout-judge.command.js';
import { registerSlotsBackfill } from './commands/slots-backfill.command.js';
import { registerSlotsList } from './commands/slots-list.command.js';
import { registerSlotsSet } from './commands/slots-set.command.js';
import { registerTopicsCreate } from './commands/topics-create.command.js';
import { registerTopicsList } from './commands/topics-list.command.js';
import { registerUpgradeCheck } from './commands/upgrade-check.command.js';
import {
  registerUsersDelete,
  registerUsersDisable,
  registerUsersEnable,
  registerUsersEndSessions,
  registerUsersReset,
  registerUsersUnbind,
} from './commands/users-change.command.js';
import { registerUsersInvite } from './commands/users-invite.command.js';
import { registerUsersInvites } from './commands/users-invites.command.js';
import { registerUsersList } from './commands/users-list.command.js';
import { registerVerify } from './commands/verify.command.js';
import { registerVisitsErase } from './commands/visits-erase.command.js';
import { registerWebhooksEnable, registerWebhooksTest } from './commands/webhooks-change.command.js';
import { registerWebhooksList } from './commands/webhooks-list.command.js';
import { withAnyCluster } from './connections.js';
import type { CliContext } from './context.js';
import { OUTPUT_FORMATS } from './output/output.js';
import { whileAnswering } from './while-answering.js';

/** After every message about wrong usage. */
export const HINT = '(add --help for the options and examples)';

const HELP = `
Addresses: DATABASE_URL, REDIS_URL and KAFKA_BROKERS; else those of the local stack that runs
(<HOPCOUNT_DATA_DIR or .data>/stack.json); without either, commands that need one are refused.
A database belongs to one Kafka cluster: on another one, commands are refused (cluster bind --help).
Data goes to stdout, progress and messages to stderr.
Whatever changes data changes nothing without --execute: it prints what it would do. What it did is
kept in the table operator_actions (who: HOPCOUNT_OPERATOR, else user@host). Only what sets a system
up, or ends a key, acts at once: migrate, topics create, api-keys, users.
Exit codes: 0 done, 1 failed, 2 wrong usage, 3 numbers are not what they must be, 4 too little
seen to say (rollout judge).

Examples:
  $ hopcount doctor
  $ hopcount lag
  $ hopcount verify --link aBcDeF1
  $ hopcount dead-letters list --limit 20 -o json`;

export function createProgram(context: CliContext): Command {
  const program = new Command('hopcount')
    .description('operator commands of Hopcount: short links whose every visit is counted exactly once')
    .version(builtVersion())
    .option('--expect-cluster <id>', 'refuse to do anything on another Kafka cluster than this')
    .addHelpText('after', HELP)
    .hook('preAction', (command) => expectCluster(context, command.opts<{ expectCluster?: string }>().expectCluster))
    .showHelpAfterError(HINT)
    .configureOutput({
      writeOut: (text) => context.terminal.data(text),
      writeErr: (text) => context.terminal.message(text.trimEnd()),
    })
    .exitOverride();

  registerSetUp(program, context);
  registerCounting(program, context);
  registerLinks(program, context);
  addOutputOption(program);
  return program;
}

/** What a system needs before its first link. */
function registerSetUp(program: Command, context: CliContext): void {
  registerMigrate(program, context);
  const backup = program.command('backup').description('backups of PostgreSQL by pgBackRest (makes one)');
  registerBackupRun(backup, context);
  registerBackupConfigure(backup, context);
  registerRestore(program, context);
  registerUpgradeCheck(program.command('upgrade').description('another version of Hopcount'), context);
  const topics = program.command('topics').description("Kafka's topics (lists them)");
  registerTopicsList(topics, context);
  registerTopicsCreate(topics, context);
  registerClusterBind(program.command('cluster').description('the Kafka cluster a database belongs to'), context);
  const apiKeys = program.command('api-keys').description('keys of the REST API (lists them)');
  registerApiKeysList(apiKeys, context);
  registerApiKeysCreate(apiKeys, context);
  registerApiKeysRotate(apiKeys, context);
  registerApiKeysDisable(apiKeys, context);
  registerApiKeysEnable(apiKeys, context);
  registerApiKeysRevoke(apiKeys, context);
  const users = program.command('users').description('people who sign in (lists them)');
  registerUsersList(users, context);
  registerUsersInvite(users, context);
  registerUsersInvites(users, context);
  registerUsersDisable(users, context);
  registerUsersEnable(users, context);
  registerUsersReset(users, context);
  registerUsersUnbind(users, context);
  registerUsersDelete(users, context);
  registerUsersEndSessions(users, context);
  const limits = program.command('limits').description('limits of requests, changed without a restart (shows them)');
  registerLimitsShow(limits, context);
  registerLimitsSet(limits, context);
  registerLimitsUnset(limits, context);
  const audit = program.command('audit').description('who changed what (lists it)');
  registerAuditList(audit, context);
  registerAuditExport(audit, context);
}

/** Looking after visits. */
function registerCounting(program: Command, context: CliContext): void {
  registerDoctor(program, context);
  registerLag(program, context);
  registerVerify(program, context);
  registerRebuild(program, context);
  registerReplay(program, context);
  registerRelabel(program, context);
  registerRolloutJudge(program.command('rollout').description('two versions side by side'), context);
  registerVisitsErase(program.command('visits').description('visits of people'), context);
  const slots = program.command('slots').description('all-time counters and their slots (lists them)');
  registerSlotsList(slots, context);
  registerSlotsSet(slots, context);
  registerSlotsBackfill(slots, context);
  const hosts = program.command('hosts').description('visits by the hosts they go to and come from (lists them)');
  registerHostsTop(hosts, context);
  registerHostsShow(hosts, context);
  registerHostsCompare(hosts, context);
  registerHostsReport(hosts, context);
  registerHostsAlerts(hosts, context);
  registerHostsBatches(hosts, context);
  registerHostsReverse(hosts, context);
  registerHostsForgetPeer(hosts, context);
  const archive = program.command('archive').description('closed hours of the ledger in Parquet files (lists them)');
  registerArchiveList(archive, context);
  registerArchiveSeal(archive, context);
  registerArchiveCompact(archive, context);
  registerArchiveVerify(archive, context);
  registerArchiveRestore(archive, context);
  const deadLetters = program.command('dead-letters').description('events that could not be counted');
  registerDeadLettersList(deadLetters, context);
  registerDeadLettersShow(deadLetters, context);
  registerDeadLettersStats(deadLetters, context);
  registerDeadLettersRedrive(deadLetters, context);
  registerDeadLettersDiscard(deadLetters, context);
}

/** Links in and out, and where they may not lead. */
function registerLinks(program: Command, context: CliContext): void {
  registerImport(program, context);
  const exports = program.command('export').description('what there is, for other programs');
  registerExportLinks(exports, context);
  registerExportVisits(exports, context);
  const blocks = program.command('blocks').description('hosts, patterns and short links that are blocked (lists them)');
  registerBlocksList(blocks, context);
  registerBlocksAdd(blocks, context);
  registerBlocksRemove(blocks, context);
  registerBlocksImport(blocks, context);
  registerBlocksReports(blocks, context);
  const webhooks = program.command('webhooks').description('who is told of links (lists them)');
  registerWebhooksList(webhooks, context);
  registerWebhooksTest(webhooks, context);
  registerWebhooksEnable(webhooks, context);
}

/** Every command prints data in the format asked for. */
function addOutputOption(command: Command): void {
  command.commands.forEach(addOutputOption);
  if (command.commands.length > 0) return;
  command.addOption(
    new Option('-o, --output <format>', 'how to print the data').choices(OUTPUT_FORMATS).default('table'),
  );
}

/** @throws AppError `other-cluster` */
async function expectCluster(context: CliContext, expected: string | undefined): Promise<void> {
  if (expected === undefined) return;
  const found = await whileAnswering(context.config(), ['Kafka'], (config) =>
    withAnyCluster(config, (admin) => admin.clusterId()),
  );
  if (found !== expected) {
    throw new AppError('other-cluster', `These brokers are cluster ${found}, not ${expected}: nothing was done.`);
  }
}
