import { type ApiScope, USER_ROLES, type UserRole } from '@hopcount/contracts';
import { storedGroups } from '@hopcount/links';
import type { Queryable } from '@hopcount/postgres';
import { AppError, Reach } from '@hopcount/runtime';

const GROUPS_AT_MOST = 100;

const SCOPES: Record<UserRole, readonly ApiScope[]> = {
  viewer: ['links:read', 'statistics:read'],
  member: ['links:read', 'statistics:read', 'links:write'],
  owner: ['links:read', 'statistics:read', 'links:write', 'visits:purge', 'hosts:write'],
};

/** A role of everything, of each of some groups, or both. */
export interface Roles {
  role: UserRole | null;
  groups: Readonly<Record<string, UserRole>>;
}

/** Everything, the groups whose role allows it, or undefined: not at all. Keys, users and blocks are for owners of everything. */
export function reachOfUser({ role, groups }: Roles, scope: ApiScope): Reach | undefined {
  if (scope === 'admin') return role === 'owner' ? Reach.everything : undefined;
  if (role !== null && SCOPES[role].includes(scope)) return Reach.everything;
  const reached = Object.keys(groups).filter((id) => SCOPES[groups[id] as UserRole].includes(scope));
  return reached.length === 0 ? undefined : Reach.ofGroups(reached);
}

/** Roles of groups that are there. @throws AppError `invalid-data` */
export async function checkRoles(tx: Queryable, { role, groups: given }: Roles): Promise<Roles> {
  const named = await storedGroups(tx, Object.keys(given));
  const groups = Object.fromEntries(Object.values(given).map((one, nth) => [named[nth] as string, one]));
  const ids = Object.keys(groups);
  if (ids.length < Object.keys(given).length)
    throw invalid('groups', 'Two of these ids name the same group: give it one role.');
  if (role === null && ids.length === 0) throw invalid('role', 'Somebody without a role sees nothing: name one.');
  if (ids.length > GROUPS_AT_MOST) throw invalid('groups', `A user has roles in ${GROUPS_AT_MOST} groups at most.`);
  if (!Object.values(groups).every((one) => USER_ROLES.includes(one))) {
    throw invalid('groups', `A role is one of ${USER_ROLES.join(', ')}.`);
  }
  const found = await tx.query('SELECT FROM groups WHERE id = ANY ($1::text[])', [ids.filter(isStorable)]);
  if (found.length < ids.length) throw invalid('groups', 'There is no group of one of these ids.');
  return { role, groups };
}

function isStorable(id: string): boolean {
  return !id.includes('\u0000');
}

function invalid(field: string, message: string): AppError {
  return new AppError('invalid-data', message, { details: { invalidElements: [field] } });
}
