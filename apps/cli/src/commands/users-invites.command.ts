import { withDatabase } from '../connections.js';
import type { OutputOptions, RegisterCommand } from '../context.js';
import { limitOption, parseWhole } from '../operator-actions/options.js';
import { plural } from '../output/output.js';
import { changeUsers, INVITE_COLUMNS, invitesOf } from '../users/user-admin.js';

const LAST_ID = 2_147_483_647;

interface InvitesOptions extends OutputOptions {
  limit: number;
  withdraw?: number;
}

export const registerUsersInvites: RegisterCommand = (parent, context) => {
  parent
    .command('invites')
    .description('links of invites and resets that can still be used, and who made them; or withdraws one')
    .addOption(limitOption('links', 11_000, 11_000))
    .option('--withdraw <id>', 'this link works no more', (text: string) => parseWhole(text, 1, LAST_ID))
    .addHelpText(
      'after',
      '\nActs at once.\n\nExamples:\n  $ hopcount users invites\n  $ hopcount users invites --withdraw 7',
    )
    .action(async ({ limit, withdraw, output }: InvitesOptions) => {
      if (withdraw !== undefined) {
        await changeUsers(context, { command: 'invites', withdraw }, ({ invites }) => invites.withdraw(withdraw));
        return context.terminal.message(`The link ${withdraw} works no more.`);
      }
      const { invites } = await withDatabase(context.config(), async (database) =>
        (await invitesOf(database)).list({ offset: 0, limit }),
      );
      context.terminal.rows(output, INVITE_COLUMNS, invites);
      context.terminal.message(`Listed: ${plural(invites.length, 'link')}.`);
    });
};
