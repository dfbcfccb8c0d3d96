import type { User } from '../features/session/session.js';
import type { IconName } from '../ui/icons.js';

export interface NavigationEntry {
  to: '/' | '/links';
  /** Of `common.navigation`. */
  title: 'overview' | 'links';
  icon: IconName;
  /** Whether it is for them; absent: for everybody. The api decides what they may do there. */
  isFor?: (user: User) => boolean;
}

export const NAVIGATION: readonly NavigationEntry[] = [
  { to: '/', title: 'overview', icon: 'overview' },
  { to: '/links', title: 'links', icon: 'links' },
];
