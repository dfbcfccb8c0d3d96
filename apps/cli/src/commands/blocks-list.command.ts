import { BLOCK_KINDS, type BlockKind } from '@hopcount/contracts';
import type { BlockRecord } from '@hopcount/links';
import { Option } from 'commander';

import { withDatabase } from '../connections.js';
import type { OutputOptions, RegisterCommand } from '../context.js';
import { limitOption } from '../operator-actions/options.js';
import type { Column } from '../output/output.js';

const HELP = `
Hosts (with all below them) and texts in addresses that no short link may lead to, and short links that lead nowhere any more:
newest first. Visitors of such links get 410 (with the action warn a page first); they are orphan visits of the type "blocked".

Examples:
  $ hopcount blocks
  $ hopcount blocks list --kind host --search example`;

export const registerBlocksList: RegisterCommand = (parent, context) => {
  parent
    .command('list', { isDefault: true })
    .description('what is blocked, and why')
    .addOption(new Option('--kind <kind>', 'only these').choices(BLOCK_KINDS))
    .option('--search <text>', 'only those whose value has this text')
    .addOption(limitOption('blocks', 100, 10_000))
    .addHelpText('after', HELP)
    .action(async (options: OutputOptions & { kind?: BlockKind; search?: string; limit: number }) => {
      const { BlockStore } = await import('@hopcount/links');
      await withDatabase(context.config(), async (database) => {
        const { kind = null, search: searchTerm = null, limit } = options;
        const { blocks, totalItems } = await new BlockStore(database).list({ kind, searchTerm, offset: 0, limit });
        context.terminal.rows(options.output, COLUMNS, blocks);
        context.terminal.message(`Listed: ${blocks.length} of ${totalItems}.`);
      });
    });
};

const COLUMNS: Column<BlockRecord>[] = [
  { name: 'id', heading: 'id', value: ({ id }) => id, align: 'right' },
  { name: 'kind', heading: 'kind', value: ({ kind }) => kind },
  { name: 'value', heading: 'value', value: ({ value }) => value },
  { name: 'action', heading: 'action', value: ({ action }) => action },
  { name: 'reason', heading: 'reason', value: ({ reason }) => reason },
  { name: 'createdAt', heading: 'since', value: ({ createdAt }) => createdAt.toISOString() },
];
