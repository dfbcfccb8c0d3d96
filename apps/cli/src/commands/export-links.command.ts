import { Reach } from '@hopcount/runtime';
import { Option } from 'commander';

import { withDatabase } from '../connections.js';
import type { OutputOptions, RegisterCommand } from '../context.js';
import { parseWhole } from '../operator-actions/options.js';
import { NO_BOM } from '../output/output.js';

/** As long as an api takes. */
const MINUTES = 15;
const MAX_MINUTES = 1_440;

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
    .option(...NO_BOM)
    .addOption(
      new Option('--minutes <n>', 'longest time it may take; vacuum waits for it meanwhile')
        .argParser((text) => parseWhole(text, 1, MAX_MINUTES))
        .default(MINUTES),
    )
    .action(async ({ output, minutes, bom }: OutputOptions & { minutes: number; bom: boolean }) => {
      const { exportLinks } = await import('@hopcount/transfer');
      const { slots, publicScheme } = context.config();
      const format = output === 'json' ? 'jsonl' : 'csv';
      const totals = slots === 'off' ? 'traffic' : 'slots';
      await withDatabase(context.config(), (database) =>
        context.terminal.pour(
          exportLinks(Reach.everything, database, { format, bom, publicScheme, totals, deadlineMs: minutes * 60_000 }),
        ),
      );
    });
};
