import { answerOf, type components } from '@hopcount/client';

import { api } from '../../api/client.js';
import { useApi } from '../../api/use-api.js';
import { useChange } from '../../api/use-change.js';
import type { User } from '../../features/session/session.js';

export type OpenInvite = components['schemas']['OpenInvite'];
export type Role = NonNullable<User['role']>;
/** Of everything and of single groups. */
export type Roles = Pick<User, 'role' | 'groups'>;

export const ROLES = ['viewer', 'member', 'owner'] as const satisfies readonly Role[];
const PAGE_SIZE = '50';
const SUBJECT = 'users';

const addressOf = ({ id }: { id: number }) => ({ path: { id: String(id) } });

export function useUsers(page: number) {
  const query = { page: String(page), itemsPerPage: PAGE_SIZE };
  return useApi([SUBJECT, 'list', query], (signal) =>
    answerOf(api.GET('/rest/v3/users', { params: { query }, signal })),
  );
}

/** All of them: they end after days. */
export function useInvites() {
  return useApi([SUBJECT, 'invites'], (signal) => answerOf(api.GET('/rest/v3/users/invites', { signal })));
}

export function useInviteUser() {
  return useChange(SUBJECT, (body: Roles) => answerOf(api.POST('/rest/v3/users/invites', { body })));
}

export function useWithdrawInvite() {
  return useChange(SUBJECT, (invite: OpenInvite) =>
    answerOf(api.DELETE('/rest/v3/users/invites/{id}', { params: addressOf(invite) })),
  );
}

export function useEditUser() {
  return useChange(SUBJECT, ({ user, body }: { user: User; body: Partial<Roles> & { enabled?: boolean } }) =>
    answerOf(api.PATCH('/rest/v3/users/{id}', { params: addressOf(user), body })),
  );
}

export function useResetUser() {
  return useChange(SUBJECT, (user: User) =>
    answerOf(api.POST('/rest/v3/users/{id}/reset', { params: addressOf(user) })),
  );
}

export function useUnbindUser() {
  return useChange(SUBJECT, (user: User) =>
    answerOf(api.DELETE('/rest/v3/users/{id}/provider-identity', { params: addressOf(user) })),
  );
}

export function useDeleteUser() {
  return useChange(SUBJECT, (user: User) => answerOf(api.DELETE('/rest/v3/users/{id}', { params: addressOf(user) })));
}
