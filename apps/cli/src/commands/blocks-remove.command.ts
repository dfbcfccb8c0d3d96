import { withDatabase } from '../connections.js';
import type { OutputOptions, RegisterCommand } from '../context.js';
import { asAction } from '../operator-actions/operator-action.js';
import { executeOption } from '../operator-actions/options.js';

const HELP = `
Its id is in "hopcount blocks". Links that were blocked by it lead where they led before, within 10 seconds.

Example:
  $ hopcount blocks remove 7 --execute`;

export const registerBlocksRemove: RegisterCommand = (parent, context) => {
  parent
    .command('remove')
    .description('take a block away')
    .argument('<id>', 'of the block')
    .addOption(executeOption())
    .addHelpText('after', HELP)
    .action((id: string, { execute, output }: OutputOptions & { execute: boolean }) =>
      withDatabase(context.config(), async (database) => {
        const { BlockStore } = await import('@hopcount/links');
        if (!execute) return context.terminal.message(`Would remove block ${id}. Nothing was changed (no --execute).`);
        await asAction({ context, database }, { command: 'blocks remove', arguments: { id }, output }, async () => {
          await new BlockStore(database).remove(id);
          return { outcome: 'done', counts: { removed: 1 } };
        });
      }),
    );
};
