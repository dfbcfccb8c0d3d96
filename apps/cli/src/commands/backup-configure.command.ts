import { existsSync, writeFileSync } from 'node:fs';

import { configurationOf, serverSettings, type WantedConfiguration } from '../backup/configuration.js';
import { wrongUsage } from '../cli.errors.js';
import type { CliContext, RegisterCommand } from '../context.js';
import { executeOption, parseWhole } from '../operator-actions/options.js';

const HELP = `
Prints, or with --execute writes, what pgBackRest has to know; prints what PostgreSQL has to know (it is started again once). A
bucket's keys are in no file: give them to PostgreSQL and to this command as PGBACKREST_REPO1_S3_KEY and
PGBACKREST_REPO1_S3_KEY_SECRET. The user of PostgreSQL has to be a superuser.

Examples:
  $ hopcount backup configure --repository /var/lib/pgbackrest --data-folder /var/lib/postgresql/15/main --execute
  $ hopcount backup configure --repository s3://backups/hopcount --region eu-central-1 --data-folder /var/lib/postgresql/15/main`;

interface ConfigureOptions extends Omit<WantedConfiguration, 'stanza'> {
  config: string;
  execute: boolean;
}

export const registerBackupConfigure: RegisterCommand = (parent, context) => {
  parent
    .command('configure')
    .description('what pgBackRest and PostgreSQL have to know')
    .requiredOption('--repository <place>', 'where backups go: a folder, or s3://bucket/path')
    .requiredOption('--data-folder <folder>', "PostgreSQL's data")
    .option('--endpoint <host>', 'of the bucket, if it is not at AWS')
    .option('--region <region>', 'of the bucket')
    .option('--socket-folder <folder>', "of PostgreSQL, if it is not Debian's")
    .option('--port <n>', 'of PostgreSQL', (text) => parseWhole(text, 1, 65_535), 5_432)
    .option('--user <name>', 'as whom pgBackRest asks PostgreSQL', 'hopcount')
    .option('--keep <n>', 'full backups that are kept', (text) => parseWhole(text, 1, 1_000), 2)
    .option('--config <file>', 'the file', '/etc/pgbackrest.conf')
    .addOption(executeOption())
    .addHelpText('after', HELP)
    .action((options: ConfigureOptions) => configure(context, options));
};

function configure(context: CliContext, { config, execute, ...wanted }: ConfigureOptions): void {
  const { terminal } = context;
  const { pgbackrestStanza: stanza } = context.config();
  const text = configurationOf({ ...wanted, stanza });
  if (execute) {
    if (existsSync(config)) throw wrongUsage(`${config} is there already: it is not overwritten.`);
    writeFileSync(config, text, { mode: 0o644 });
    terminal.message(`Written to ${config}. For postgresql.conf:`);
  } else {
    terminal.message(`Nothing was written (no --execute). ${config} would be:`);
    terminal.data(`${text}\n`);
    terminal.message('For postgresql.conf:');
  }
  terminal.data(serverSettings({ stanza }, config));
}
