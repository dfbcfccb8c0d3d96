import { readdirSync } from 'node:fs';

import { PgBackRest } from '../backup/pgbackrest.js';
import { wrongUsage } from '../cli.errors.js';
import type { CliContext, RegisterCommand } from '../context.js';
import { executeOption } from '../operator-actions/options.js';

const HELP = `
Brings PostgreSQL's data back from a backup of pgBackRest, into its empty data folder. PostgreSQL must not run; started
afterwards, it replays the archived WAL. Nothing else is stopped or told: consumers go back to the restored checkpoints and
count again what Kafka holds, ids that are there already are skipped. Then: \`hopcount lag\` until nothing is pending,
\`hopcount verify\`, and \`hopcount users end-sessions --everybody\`.

Examples:
  $ hopcount restore
  $ hopcount restore --set 20260901-030000F --execute`;

interface RestoreOptions {
  set?: string;
  execute: boolean;
}

export const registerRestore: RegisterCommand = (parent, context) => {
  parent
    .command('restore')
    .description("bring PostgreSQL's data back from a backup")
    .option('--set <label>', 'which backup; the last one unless told')
    .addOption(executeOption())
    .addHelpText('after', HELP)
    .action((options: RestoreOptions) => restore(context, options));
};

async function restore(context: CliContext, { set, execute }: RestoreOptions): Promise<void> {
  const { terminal } = context;
  const config = context.config();
  const pgBackRest = new PgBackRest({ stanza: config.pgbackrestStanza, config: config.pgbackrestConfig ?? null });
  const backups = (await pgBackRest.backups()) ?? [];
  const chosen = set === undefined ? backups.at(-1) : backups.find(({ label }) => label === set);
  if (chosen === undefined) throw wrongUsage(set === undefined ? 'There is no backup.' : `There is no backup ${set}.`);
  const { dataFolder } = pgBackRest;
  const files = readdirSync(dataFolder).length;
  if (files > 0) throw wrongUsage(`${dataFolder} is not empty: stop PostgreSQL and move its files away first.`);
  const what = `${chosen.label} of ${new Date(chosen.endedMs).toISOString()} into ${dataFolder}`;
  if (!execute) {
    terminal.message(`Nothing was changed (no --execute). It would restore ${what}.`);
    return;
  }
  await pgBackRest.run('restore', ...(set === undefined ? [] : [`--set=${set}`]));
  terminal.message(`Restored ${what}. Start PostgreSQL: it replays the archived WAL.`);
}
