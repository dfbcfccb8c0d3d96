import type { UserRecord, Users } from '@hopcount/identities';
import type { Database } from '@hopcount/postgres';
import { createLogger } from '@hopcount/runtime';

import { withDatabase } from '../connections.js';
import type { CliContext } from '../context.js';
import { asAction } from '../operator-actions/operator-action.js';
import type { Column, OutputFormat } from '../output/output.js';

export const USER_COLUMNS: Column<UserRecord>[] = [
  { name: 'email', heading: 'email', value: ({ email }) => email },
  { name: 'name', heading: 'name', value: ({ name }) => name },
  { name: 'role', heading: 'role', value: ({ role }) => role },
  {
    name: 'groups',
    heading: 'of groups',
    value: ({ groups }) =>
      Object.entries(groups)
        .map(([id, role]) => `${id}=${role}`)
        .join(' ') || null,
  },
  { name: 'state', heading: 'state', value: ({ enabled }) => (enabled ? 'active' : 'disabled') },
  { name: 'created', heading: 'created', value: ({ createdAt }) => createdAt.toISOString() },
  { name: 'lastSignIn', heading: 'last sign-in', value: ({ lastSignInAt }) => lastSignInAt?.toISOString() ?? null },
];

export async function usersOf(database: Database): Promise<Users> {
  const { Passwords, SecondFactors, Sealer, Sessions, Users } = await import('@hopcount/identities');
  const logger = createLogger({ name: 'hopcount-cli', level: 'silent' });
  // Nothing is sealed or opened here: a reset removes the second factor.
  const secondFactors = new SecondFactors(database, new Sealer(['none']));
  return new Users(database, new Sessions(database, { logger }), new Passwords(), secondFactors);
}

/** A link that cannot be read again; where the api is reached, only who runs it knows. */
export function printLink({ terminal, config }: CliContext, output: OutputFormat, token: string): void {
  const link = `${config().apiPublicUrl}/rest/invite#${token}`;
  const columns = [{ name: 'link', heading: 'link', value: (text: string) => text }];
  terminal.rows(output, columns, [link], ([object]) => object);
  terminal.message('It works once, and cannot be shown again: open it, or hand it on.');
}

/** Noted in operator_actions. */
export async function changeUsers(
  context: CliContext,
  { command, ...given }: { command: string } & Record<string, unknown>,
  work: (users: Users) => Promise<unknown>,
): Promise<void> {
  await withDatabase(context.config(), async (database) => {
    const users = await usersOf(database);
    await asAction({ context, database }, { command: `users ${command}`, arguments: given }, async () => {
      await work(users);
      return { outcome: 'done', counts: {} };
    });
  });
}
