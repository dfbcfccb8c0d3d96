import type { OutputOptions, RegisterCommand } from '../context.js';
import { changeUsers, printLink } from '../users/user-admin.js';

const FOLLOWED = 'Every api process follows within 5 seconds.';

/** `disable` and `enable`, which are alike. */
const registerSwitch =
  (command: 'disable' | 'enable', description: string): RegisterCommand =>
  (parent, context) => {
    parent
      .command(command)
      .argument('<email>', 'which user')
      .description(description)
      .addHelpText('after', `\nActs at once. ${FOLLOWED}\n\nExample:\n  $ hopcount users ${command} ada@example.com`)
      .action(async (email: string) => {
        await changeUsers(context, { command, email }, async ({ users }) =>
          users.edit((await users.named(email)).id, { enabled: command === 'enable' }),
        );
        context.terminal.message(`The user "${email}" is ${command}d. ${FOLLOWED}`);
      });
  };

export const registerUsersDisable = registerSwitch(
  'disable',
  'sign a user out and refuse them until they are enabled again',
);

export const registerUsersEnable = registerSwitch('enable', 'let a disabled user sign in again');

export const registerUsersReset: RegisterCommand = (parent, context) => {
  parent
    .command('reset')
    .argument('<email>', 'which user')
    .description('make a link that gives a user another password')
    .addHelpText(
      'after',
      '\nThe link works once, within a day; when it is used all sessions of the user end, and their second factor is removed.\n\nExample:\n  $ hopcount users reset ada@example.com',
    )
    .action(async (email: string, { output }: OutputOptions) => {
      let token = '';
      await changeUsers(context, { command: 'reset', email }, async ({ users, invites }) => {
        ({ token } = await invites.reset((await users.named(email)).id, null));
      });
      printLink(context, output, token);
    });
};
