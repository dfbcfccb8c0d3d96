import { USER_ROLES, type UserRole } from '@hopcount/contracts';
import { InvalidArgumentError, Option } from 'commander';

import type { OutputOptions, RegisterCommand } from '../context.js';
import { changeUsers, printLink } from '../users/user-admin.js';

const HELP = `
Acts at once. The link works once, within a week; whoever opens it chooses email address, name and password.
Of everything: viewers read, members also create and edit, owners administer. With --group a role is of that group only.

Examples:
  $ hopcount users invite --role owner
  $ hopcount users invite --group spring=member --group summer=viewer -o json`;

interface InviteOptions extends OutputOptions {
  role?: UserRole | null;
  group?: Record<string, UserRole>;
}

export const registerUsersInvite: RegisterCommand = (parent, context) => {
  parent
    .command('invite')
    .description('make a link that makes an account')
    .addOption(new Option('--role <role>', 'of everything').choices(USER_ROLES))
    .addOption(new Option('--group <id=role>', 'of a group, may be repeated').argParser(addGroup))
    .addHelpText('after', HELP)
    .action(async ({ role = null, group = {}, output }: InviteOptions) => {
      let token = '';
      await changeUsers(context, { command: 'invite', role, groups: group }, async ({ invites }) => {
        ({ token } = await invites.invite({ role, groups: group }, null));
      });
      printLink(context, output, token);
    });
};

function addGroup(text: string, before: Record<string, UserRole> = {}): Record<string, UserRole> {
  const at = text.lastIndexOf('=');
  const role = USER_ROLES.find((one) => one === text.slice(at + 1));
  if (at < 1 || role === undefined)
    throw new InvalidArgumentError(`Give a group and one of ${USER_ROLES.join(', ')}: spring=member.`);
  return { ...before, [text.slice(0, at)]: role };
}
