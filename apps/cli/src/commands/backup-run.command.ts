import type { CliConfig } from '../cli.config.js';
import { keepBesides } from '../backup/keep-besides.js';
import { olderThanRetention } from '../backup/judge-backups.js';
import { type Backup, PgBackRest } from '../backup/pgbackrest.js';
import { withServices } from '../connections.js';
import type { CliContext, OutputOptions, RegisterCommand } from '../context.js';
import { asAction } from '../operator-actions/operator-action.js';
import { executeOption } from '../operator-actions/options.js';
import { plural } from '../output/output.js';
import { Option } from 'commander';

const HELP = `
Backs PostgreSQL up with pgBackRest, which \`hopcount backup configure\` sets up, and keeps in a folder what PostgreSQL does
not have: the secret and this machine's spool. It runs where PostgreSQL runs; as root it runs pgbackrest as the owner of
PostgreSQL's data. Whatever a backup and its WAL do not hold is counted again from Kafka, so it says which backups
are older than Kafka keeps visits. \`hopcount doctor\` watches the age of the last one (BACKUP_MAX_AGE_HOURS).

Examples:
  $ hopcount backup
  $ hopcount backup --type full --besides /mnt/elsewhere/hopcount --execute`;

interface BackupOptions extends OutputOptions {
  type: string;
  besides?: string;
  execute: boolean;
}

export const registerBackupRun: RegisterCommand = (parent, context) => {
  parent
    .command('run', { isDefault: true })
    .description('back PostgreSQL up, and what must be kept besides')
    .addOption(new Option('--type <type>', 'what is copied').choices(['full', 'diff', 'incr']).default('incr'))
    .option('--besides <folder>', 'where the secret and the spool are kept, elsewhere than on this machine')
    .addOption(executeOption())
    .addHelpText('after', HELP)
    .action((options: BackupOptions) => backUp(context, options));
};

function backUp(context: CliContext, { type, besides, execute, output }: BackupOptions): Promise<void> {
  const { terminal } = context;
  const config = context.config();
  const pgBackRest = new PgBackRest({ stanza: config.pgbackrestStanza, config: config.pgbackrestConfig ?? null });
  return withServices(context, async ({ database, admin }) => {
    const before = await pgBackRest.backups();
    const { settings } = await admin.describeTopic(config.visitsTopic);
    const retentionMs = Number(settings.get('retention.ms') ?? -1);
    if (!execute) {
      report(context, output, before ?? []);
      warnOfOld(context, before ?? [], retentionMs);
      terminal.message(`Nothing was changed (no --execute). It would make a backup of type ${type}.`);
      return;
    }
    await asAction({ context, database, admin }, { command: 'backup', arguments: { type, besides } }, async () => {
      if (before === undefined) await pgBackRest.run('stanza-create');
      await pgBackRest.run('backup', `--type=${type}`);
      const backups = (await pgBackRest.backups()) ?? [];
      report(context, output, backups);
      warnOfOld(context, backups, retentionMs);
      await keep(context, config, besides, { ...backups.at(-1), clusterId: await admin.clusterId(), retentionMs });
      return { outcome: 'done', counts: { backups: backups.length } };
    });
  });
}

async function keep({ terminal }: CliContext, config: CliConfig, besides: string | undefined, facts: object) {
  if (besides === undefined) {
    terminal.message('Keep besides, elsewhere: the secret, the spools of gateways, the archive (--besides FOLDER).');
    return;
  }
  const { kept, missing } = await keepBesides(besides, config, facts);
  terminal.message(`Kept in ${besides}: ${kept.join(', ')}.`);
  for (const one of missing) terminal.message(`Keep besides, it is not in ${besides}: ${one}.`);
}

function warnOfOld({ terminal }: CliContext, backups: readonly Backup[], retentionMs: number): void {
  const old = olderThanRetention(backups, retentionMs, Date.now());
  if (old.length === 0) return;
  const hours = Math.round(retentionMs / 3_600_000);
  const labels = old.map(({ label }) => label).join(', ');
  terminal.message(
    `${plural(old.length, 'backup')} older than the ${hours} hours Kafka keeps visits (${labels}): without their WAL, counts would be lost.`,
  );
}

function report({ terminal }: CliContext, output: OutputOptions['output'], backups: Backup[]): void {
  terminal.rows(
    output,
    [
      { name: 'label', heading: 'backup', value: ({ label }) => label },
      { name: 'type', heading: 'type', value: ({ type }) => type },
      { name: 'ended', heading: 'ended', value: ({ endedMs }) => new Date(endedMs).toISOString() },
    ],
    backups,
  );
}
