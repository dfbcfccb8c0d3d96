import { InvalidArgumentError } from 'commander';

import { openArchive } from '../archive/open-archive.js';
import { withDatabase } from '../connections.js';
import type { CliContext, OutputOptions, RegisterCommand } from '../context.js';
import { asAction } from '../operator-actions/operator-action.js';
import { executeOption, parseWhole } from '../operator-actions/options.js';
import { reportCounts } from '../operator-actions/report-counts.js';
import { plural } from '../output/output.js';

const DAY_MS = 86_400_000;
const HELP = `
Brings a month that PostgreSQL dropped back into it from the archive's files, row for row, in one transaction:
compared with the buckets of each link before it counts, and killed anywhere nothing is left of it. Visits go on
being counted meanwhile; purges wait. The ledger has no holes: the month is the last one that was dropped, so
of several the newest comes first. The workers drop it again when --keep-days are over. PostgreSQL needs about
seven times the disk of the files, the archive's folder ten times that of the largest one.

Examples:
  $ hopcount archive restore 2026-03
  $ hopcount archive restore 2026-03 --keep-days 30 --execute`;

interface RestoreOptions extends OutputOptions {
  keepDays: number;
  execute: boolean;
}

export const registerArchiveRestore: RegisterCommand = (parent, context) => {
  parent
    .command('restore')
    .description('bring a dropped month back into PostgreSQL')
    .argument('<month>', 'the month (UTC): 2026-03', parseMonth)
    .option('--keep-days <n>', 'for how long it is not dropped again', (text) => parseWhole(text, 1, 3_650), 7)
    .addOption(executeOption())
    .addHelpText('after', HELP)
    .action((month: number, options: RestoreOptions) => restore(context, month, options));
};

function restore(context: CliContext, month: number, { keepDays, execute, output }: RestoreOptions): Promise<void> {
  const { terminal } = context;
  const name = new Date(month).toISOString().slice(0, 7);
  return withDatabase(context.config(), async (database) => {
    const archive = await openArchive(database, context.config());
    const plan = await archive.planRestore(month);
    if (!execute) {
      reportCounts(context, output, { ...plan });
      const what = `${plural(plan.visits, 'visit')} of ${plural(plan.files, 'file')}`;
      terminal.message(`Nothing was changed (no --execute). It would restore ${what}.`);
      return;
    }
    const given = { command: 'archive restore', arguments: { month: name, keepDays }, output };
    await asAction({ context, database }, given, async () => {
      const progress = terminal.startProgress('visits copied', plan.visits);
      const restored = await archive.restore(month, {
        keepUntilMs: Date.now() + keepDays * DAY_MS,
        onProgress: (visits) => progress.at(visits),
      });
      progress.end();
      terminal.message(`${name} is in the ledger again, for ${plural(keepDays, 'day')}.`);
      return { outcome: 'done', counts: { ...restored } };
    });
  });
}

function parseMonth(text: string): number {
  const month = /^\d{4}-(0[1-9]|1[0-2])$/.test(text) ? Date.parse(`${text}-01T00:00:00Z`) : Number.NaN;
  if (Number.isNaN(month)) throw new InvalidArgumentError('Give a month, as 2026-03.');
  return month;
}
