import type { Invites, OpenInvite, Sessions, UserRecord, Users } from '@hopcount/identities';
import type { Database } from '@hopcount/postgres';
import { createLogger } from '@hopcount/runtime';

import { withDatabase } from '../connections.js';
import type { CliContext } from '../context.js';
import { asAction } from '../operator-actions/operator-action.js';
import type { Column, OutputFormat } from '../output/output.js';

const rolesColumns = [
  { name: 'role', heading: 'role', value: ({ role }: Pick<UserRecord, 'role'>) => role },
  {
    name: 'groups',
    heading: 'of groups',
    value: ({ groups }: Pick<UserRecord, 'groups'>) =>
      Object.entries(groups)
        .map(([id, role]) => `${id}=${role}`)
        .join(' ') || null,
  },
];

export const USER_COLUMNS: Column<UserRecord>[] = [
  { name: 'email', heading: 'email', value: ({ email }) => email },
  { name: 'name', heading: 'name', value: ({ name }) => name },
  ...rolesColumns,
  { name: 'state', heading: 'state', value: ({ enabled }) => (enabled ? 'active' : 'disabled') },
  { name: 'created', heading: 'created', value: ({ createdAt }) => createdAt.toISOString() },
  { name: 'lastSignIn', heading: 'last sign-in', value: ({ lastSignInAt }) => lastSignInAt?.toISOString() ?? null },
];

export const INVITE_COLUMNS: Column<OpenInvite>[] = [
  { name: 'id', heading: 'id', value: ({ id }) => id },
  { name: 'for', heading: 'for', value: ({ email }) => email ?? 'a new account' },
  ...rolesColumns,
  {
    name: 'createdBy',
    heading: 'made by',
    value: ({ createdBy }) => (createdBy === null ? null : `${createdBy.kind} ${createdBy.name}`),
  },
  { name: 'created', heading: 'created', value: ({ createdAt }) => createdAt.toISOString() },
  { name: 'expires', heading: 'expires', value: ({ expiresAt }) => expiresAt.toISOString() },
];

async function sessionsOf(database: Database): Promise<Sessions> {
  const { Sessions } = await import('@hopcount/identities');
  return new Sessions(database, { logger: createLogger({ name: 'hopcount-cli', level: 'silent' }) });
}

export async function usersOf(database: Database): Promise<Users> {
  const { Passwords, SecondFactors, Sealer, Users } = await import('@hopcount/identities');
  // Nothing is sealed or opened here: a reset removes the second factor.
  const secondFactors = new SecondFactors(database, new Sealer(['none']));
  return new Users(database, await sessionsOf(database), new Passwords(), secondFactors);
}

export async function invitesOf(database: Database): Promise<Invites> {
  const { Invites } = await import('@hopcount/identities');
  return new Invites(database);
}

/** A link that cannot be read again; where the api is reached, only who runs it knows. */
export function printLink({ terminal, config }: CliContext, output: OutputFormat, token: string): void {
  // Browsers keep the cookie of a sign-in over plain http from this name only.
  const origin = config().apiPublicUrl.replace(/^http:\/\/127\.0\.0\.1(?=[:/]|$)/, 'http://localhost');
  const link = `${origin}/invite#${token}`;
  const columns = [{ name: 'link', heading: 'link', value: (text: string) => text }];
  terminal.rows(output, columns, [link], ([object]) => object);
  terminal.message('It works once, and cannot be shown again: open it, or hand it on.');
}

/** Noted in operator_actions. */
export async function changeUsers(
  context: CliContext,
  { command, ...given }: { command: string } & Record<string, unknown>,
  work: (of: { users: Users; invites: Invites; sessions: Sessions }) => Promise<unknown>,
): Promise<void> {
  await withDatabase(context.config(), async (database) => {
    const sessions = await sessionsOf(database);
    const of = { users: await usersOf(database), invites: await invitesOf(database), sessions };
    await asAction({ context, database }, { command: `users ${command}`, arguments: given }, async () => {
      await work(of);
      return { outcome: 'done', counts: {} };
    });
  });
}
