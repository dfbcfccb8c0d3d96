import { withDatabase } from '../connections.js';
import type { OutputOptions, RegisterCommand } from '../context.js';
import { asAction } from '../operator-actions/operator-action.js';
import { executeOption } from '../operator-actions/options.js';
import { plural } from '../output/output.js';

const HELP = `
Takes a data centre that is no more, or never was one, out of all sums. First take it out of HOST_PEERS and start the workers again: while they
follow it, it is refused. Stopped in the middle, the same command goes on. Should it be in HOST_PEERS again, all it says is read again.

Example:
  $ hopcount hosts forget-peer paris --execute`;

export const registerHostsForgetPeer: RegisterCommand = (parent, context) => {
  parent
    .command('forget-peer')
    .description('take another data centre, and all it counted, out of the counts by host')
    .argument('<data-centre>', 'as "hopcount doctor" shows it')
    .addOption(executeOption())
    .addHelpText('after', HELP)
    .action((dc: string, { execute, output }: OutputOptions & { execute: boolean }) =>
      withDatabase(context.config(), async (database) => {
        const { KnownPeers } = await import('@hopcount/ledger');
        const peers = new KnownPeers(database);
        const sums = await peers.look(dc);
        if (!execute) {
          return context.terminal.message(
            `Would forget ${dc} and ${plural(sums, 'sum')} of it. Nothing was changed (no --execute).`,
          );
        }
        await asAction(
          { context, database },
          { command: 'hosts forget-peer', arguments: { dc }, output },
          async () => ({
            outcome: 'done',
            counts: { forgotten: await peers.forget(dc) },
          }),
        );
      }),
    );
};
