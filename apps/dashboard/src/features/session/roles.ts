import type { User } from './session.js';

type Roles = Pick<User, 'role' | 'groups'>;

/** Of everything or of any group: which links they may change the api decides. */
export function mayWrite({ role, groups }: Roles): boolean {
  return [role, ...Object.values(groups)].some((one) => one === 'member' || one === 'owner');
}
