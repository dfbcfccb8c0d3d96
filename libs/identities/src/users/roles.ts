import type { ApiScope, UserRole } from '@hopcount/contracts';
import { Reach } from '@hopcount/runtime';

const SCOPES: Record<UserRole, readonly ApiScope[]> = {
  viewer: ['links:read', 'statistics:read'],
  member: ['links:read', 'statistics:read', 'links:write'],
  owner: ['links:read', 'statistics:read', 'links:write', 'visits:purge'],
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
