import type { User } from './session.js';

type Roles = Pick<User, 'role' | 'groups'>;

/** Of everything or of any group: which links they may change the api decides. */
export function mayWrite({ role, groups }: Roles): boolean {
  return [role, ...Object.values(groups)].some((one) => one === 'member' || one === 'owner');
}

/** Tags, domains and groups are of everything: roles of groups do not count. */
export function mayWriteEverything({ role }: Roles): boolean {
  return role === 'member' || role === 'owner';
}

/** Keys, users, blocks, webhooks and the audit log. */
export function mayAdminister({ role }: Roles): boolean {
  return role === 'owner';
}
