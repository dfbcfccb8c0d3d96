import type { OutputOptions, RegisterCommand } from '../context.js';
import { plural } from '../output/output.js';
import { changeUsers, printLink } from '../users/user-admin.js';

const FOLLOWED = 'Every api process follows within 5 seconds.';
const COMES_BACK =
  'Where OIDC_DOMAINS is set, they can sign in with the provider again and get a new account: to keep somebody out, use disable.';
const BEFORE =
  'Their sessions, password, second factor, links for another password and links that they made have ended, since they may be of the one before; API keys that they made go on. To sign in with a password again takes users reset.';

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

export const registerUsersUnbind: RegisterCommand = (parent, context) => {
  parent
    .command('unbind')
    .argument('<email>', 'which user')
    .description('forget whom a user is at the OpenID Connect provider')
    .addHelpText(
      'after',
      `\nActs at once. ${FOLLOWED} Whoever signs in next with the verified address is bound.\n${BEFORE}\n\nExample:\n  $ hopcount users unbind ada@example.com`,
    )
    .action(async (email: string) => {
      await changeUsers(context, { command: 'unbind', email }, async ({ users }) =>
        users.unbind((await users.named(email)).id),
      );
      context.terminal.message(`The user "${email}" is bound to nobody at the provider. ${FOLLOWED} ${BEFORE}`);
    });
};

export const registerUsersDelete: RegisterCommand = (parent, context) => {
  parent
    .command('delete')
    .argument('<email>', 'which user')
    .description('delete a user: their sessions, roles and links of invites go, what they made stays')
    .addHelpText(
      'after',
      `\nActs at once, for good. ${FOLLOWED} API keys that they made go on.\n${COMES_BACK}\n\nExamples:\n  $ hopcount users delete ada@example.com\n  $ hopcount audit --kind api-key --actor-kind user --actor Ada`,
    )
    .action(async (email: string) => {
      let name = '';
      await changeUsers(context, { command: 'delete', email }, async ({ users }) => {
        const user = await users.named(email);
        await users.remove(user.id);
        name = user.name;
      });
      context.terminal.message(
        `The user "${email}" is deleted. ${FOLLOWED} API keys and webhooks that they made go on: audit --actor-kind user --actor "${name}" says which. ${COMES_BACK}`,
      );
    });
};

export const registerUsersEndSessions: RegisterCommand = (parent, context) => {
  parent
    .command('end-sessions')
    .requiredOption('--everybody', 'all sessions, and all open links of invites and resets')
    .description('sign everybody out and withdraw all open links')
    .addHelpText(
      'after',
      `\nActs at once. ${FOLLOWED} For a database that was restored: sessions and links that had ended since are there again.\nPasswords, second factors, users and API keys are as of then, too: look through them.\n\nExample:\n  $ hopcount users end-sessions --everybody`,
    )
    .action(async () => {
      let ended = { sessions: 0, links: 0 };
      await changeUsers(context, { command: 'end-sessions' }, async ({ sessions }) => {
        ended = await sessions.endEverything();
      });
      const { sessions, links } = ended;
      context.terminal.message(`Ended: ${plural(sessions, 'session')}, ${plural(links, 'link')}. ${FOLLOWED}`);
    });
};
