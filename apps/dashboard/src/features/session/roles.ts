import type { User } from './session.js';

type Roles = Pick<User, 'role' | 'groups'>;

/** Of everything or of any group: they may make links, and change some. */
export function mayWrite({ role, groups }: Roles): boolean {
  return [role, ...Object.values(groups)].some(mayWriteAs);
}

/** A link: its group's role counts as much as that of everything. */
export function mayWriteTo(user: Roles, groupId: string | null): boolean {
  return mayWriteEverything(user) || (groupId !== null && mayWriteAs(user.groups[groupId]));
}

/** Tags, domains and groups are of everything: roles of groups do not count. */
export function mayWriteEverything({ role }: Roles): boolean {
  return mayWriteAs(role);
}

function mayWriteAs(role: User['role'] | undefined): boolean {
  return role === 'member' || role === 'owner';
}

/** With its visits, for good: owners, also of the group that the link is in. */
export function mayPurge({ role, groups }: Roles, groupId: string | null): boolean {
  return role === 'owner' || (groupId !== null && groups[groupId] === 'owner');
}

/** Keys, users, blocks, webhooks and the audit log. */
export function mayAdminister({ role }: Roles): boolean {
  return role === 'owner';
}

/** Hosts are of all short URLs: roles of groups do not count. */
export function reachesEverything({ role }: Roles): boolean {
  return role !== null;
}
