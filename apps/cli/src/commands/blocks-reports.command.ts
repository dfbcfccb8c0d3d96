import type { AbuseReportRecord } from '@hopcount/links';

import { withDatabase } from '../connections.js';
import type { OutputOptions, RegisterCommand } from '../context.js';
import { asAction } from '../operator-actions/operator-action.js';
import { executeOption, limitOption } from '../operator-actions/options.js';
import type { Column } from '../output/output.js';

const HELP = `
What visitors said of short links, newest first: pages that stand before a link (a warning, a password) have a form for it.
To block one: hopcount blocks add link s.example/aBcDeF1.

Examples:
  $ hopcount blocks reports
  $ hopcount blocks reports --dismiss 3 --execute`;

interface ReportsOptions extends OutputOptions {
  limit: number;
  dismiss?: string;
  execute: boolean;
}

export const registerBlocksReports: RegisterCommand = (parent, context) => {
  parent
    .command('reports')
    .description('what visitors reported of short links')
    .addOption(limitOption('reports', 100, 10_000))
    .option('--dismiss <id>', 'take this one from the list')
    .addOption(executeOption())
    .addHelpText('after', HELP)
    .action(({ limit, dismiss, execute, output }: ReportsOptions) =>
      withDatabase(context.config(), async (database) => {
        const { AbuseReports } = await import('@hopcount/links');
        const store = new AbuseReports(database);
        if (dismiss === undefined) {
          const { reports, totalItems } = await store.list({ offset: 0, limit });
          context.terminal.rows(output, COLUMNS, reports);
          return context.terminal.message(`Listed: ${reports.length} of ${totalItems}.`);
        }
        if (!execute) {
          return context.terminal.message(`Would dismiss report ${dismiss}. Nothing was changed (no --execute).`);
        }
        const description = { command: 'blocks reports', arguments: { dismiss }, output };
        await asAction({ context, database }, description, async () => {
          await store.dismiss(dismiss);
          return { outcome: 'done', counts: { dismissed: 1 } };
        });
      }),
    );
};

const COLUMNS: Column<AbuseReportRecord>[] = [
  { name: 'id', heading: 'id', value: ({ id }) => id, align: 'right' },
  { name: 'shortUrl', heading: 'short link', value: ({ shortUrl }) => shortUrl },
  { name: 'longUrl', heading: 'leads to', value: ({ longUrl }) => longUrl },
  { name: 'cause', heading: 'cause', value: ({ cause }) => cause },
  { name: 'reports', heading: 'reports', value: ({ reports }) => reports, align: 'right' },
  { name: 'firstAt', heading: 'first', value: ({ firstAt }) => firstAt.toISOString() },
  { name: 'lastAt', heading: 'last', value: ({ lastAt }) => lastAt.toISOString() },
];
