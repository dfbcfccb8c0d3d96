import { withDatabase } from '../connections.js';
import type { OutputOptions, RegisterCommand } from '../context.js';

const HELP = `
All links that are not deleted, with tags, rules and all-time visits, as of one moment: CSV, or with -o json JSON Lines
(a link a line, exact to the last field). \`hopcount import\` reads both. Memory stays the same however many there are.

Examples:
  $ hopcount export links > links.csv
  $ hopcount export links -o json > links.jsonl`;

export const registerExportLinks: RegisterCommand = (parent, context) => {
  parent
    .command('links')
    .description('all links as CSV or JSON Lines')
    .addHelpText('after', HELP)
    .action(async ({ output }: OutputOptions) => {
      const { exportLinks } = await import('@hopcount/transfer');
      const { slots, publicScheme } = context.config();
      const format = output === 'json' ? 'jsonl' : 'csv';
      const totals = slots === 'off' ? 'traffic' : 'slots';
      await withDatabase(context.config(), (database) =>
        context.terminal.pour(exportLinks(database, { format, publicScheme, totals })),
      );
    });
};
