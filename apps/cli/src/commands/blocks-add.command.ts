import { BLOCK_KINDS, type BlockKind } from '@hopcount/contracts';
import { Argument } from 'commander';

import { withDatabase } from '../connections.js';
import type { OutputOptions, RegisterCommand } from '../context.js';
import { asAction } from '../operator-actions/operator-action.js';
import { executeOption } from '../operator-actions/options.js';
import { reportCounts } from '../operator-actions/report-counts.js';

const HELP = `
host: it and all below it. pattern: a text anywhere in the address of a target, * for any characters. link: a short URL,
or a code of the default domain. Gateways follow within 10 seconds. With --warn visitors see a page first that names the host.

Examples:
  $ hopcount blocks add host evil.example --reason "phishing" --execute
  $ hopcount blocks add host odd.example --warn --execute
  $ hopcount blocks add pattern 'example.com/download/*.exe' --execute
  $ hopcount blocks add link s.example/aBcDeF1 --execute`;

interface AddOptions extends OutputOptions {
  reason: string;
  warn?: boolean;
  execute: boolean;
}

export const registerBlocksAdd: RegisterCommand = (parent, context) => {
  parent
    .command('add')
    .description('block a host, a pattern or a short link')
    .addArgument(new Argument('<kind>', 'what it names').choices(BLOCK_KINDS))
    .argument('<value>', 'which')
    .option('--reason <text>', 'why, for whoever reads the list', '')
    .option('--warn', 'let visitors go on from a page that names the host')
    .addOption(executeOption())
    .addHelpText('after', HELP)
    .action((kind: BlockKind, value: string, { reason, warn, execute, output }: AddOptions) =>
      withDatabase(context.config(), async (database) => {
        const { BlockStore } = await import('@hopcount/links');
        const blocks = new BlockStore(database);
        const action = warn === true ? 'warn' : 'block';
        if (!execute) {
          const block = await blocks.parse(kind, value);
          reportCounts(context, output, { ...block, action });
          return context.terminal.message('Nothing was changed (no --execute).');
        }
        const description = { command: 'blocks add', arguments: { kind, value, reason, action }, output };
        await asAction({ context, database }, description, async () => {
          const { id, kind: kept, value: as } = await blocks.add(kind, value, reason, action);
          return { outcome: 'done', counts: { id, kind: kept, value: as, action } };
        });
      }),
    );
};
