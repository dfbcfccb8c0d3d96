import type { LimitName } from '@hopcount/links';

import { withDatabase } from '../connections.js';
import type { OutputOptions, RegisterCommand } from '../context.js';
import type { Column } from '../output/output.js';

const HELP = `
Sizes are "at once:a second". "stored" is what "limits set" stored: it holds on every process. Where nothing is stored, each
process has the value of its environment, or the default.

Examples:
  $ hopcount limits
  $ hopcount limits show -o json`;

export const registerLimitsShow: RegisterCommand = (parent, context) => {
  parent
    .command('show', { isDefault: true })
    .description('limits that can be changed without a restart, and what is stored for each')
    .addHelpText('after', HELP)
    .action(async ({ output }: OutputOptions) => {
      const { defaultOf, followersOf, LIMIT_NAMES, StoredLimits } = await import('@hopcount/links');
      await withDatabase(context.config(), async (database) => {
        const stored = new Map((await new StoredLimits(database).list()).map((limit) => [limit.name, limit]));
        const lines = LIMIT_NAMES.map((name) => ({
          ...{ name, followedBy: followersOf(name), default: defaultOf(name) },
          stored: stored.get(name)?.value ?? null,
          since: stored.get(name)?.changedAt.toISOString() ?? null,
        }));
        context.terminal.rows(output, COLUMNS, lines);
        context.terminal.message(`Stored: ${stored.size} of ${lines.length}.`);
      });
    });
};

interface Line {
  name: LimitName;
  followedBy: string;
  stored: string | null;
  since: string | null;
  default: string;
}

const COLUMNS: Column<Line>[] = [
  { name: 'name', heading: 'limit', value: ({ name }) => name },
  { name: 'followedBy', heading: 'followed by', value: ({ followedBy }) => followedBy },
  { name: 'stored', heading: 'stored', value: ({ stored }) => stored },
  { name: 'since', heading: 'since', value: ({ since }) => since },
  { name: 'default', heading: 'default', value: (line) => line.default },
];
