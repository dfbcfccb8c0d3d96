import { withDatabase } from '../connections.js';
import type { OutputOptions, RegisterCommand } from '../context.js';
import { limitOption } from '../operator-actions/options.js';
import { plural } from '../output/output.js';
import { USER_COLUMNS, usersOf } from '../users/user-admin.js';

export const registerUsersList: RegisterCommand = (parent, context) => {
  parent
    .command('list', { isDefault: true })
    .description('all users by email: their roles, when they last signed in')
    .addOption(limitOption('users', 10_000, 10_000))
    .addHelpText('after', '\nExamples:\n  $ hopcount users\n  $ hopcount users list -o json')
    .action(async ({ limit, output }: OutputOptions & { limit: number }) => {
      const { users } = await withDatabase(context.config(), async (database) =>
        (await usersOf(database)).list({ offset: 0, limit }),
      );
      context.terminal.rows(output, USER_COLUMNS, users);
      context.terminal.message(`Listed: ${plural(users.length, 'user')}.`);
    });
};
