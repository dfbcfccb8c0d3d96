import { mayAdminister, reachesEverything } from '../features/session/roles.js';
import type { User } from '../features/session/session.js';
import type { IconName } from '../ui/icons.js';

export interface NavigationEntry {
  to:
    | '/'
    | '/links'
    | '/tags'
    | '/domains'
    | '/hosts'
    | '/orphan-visits'
    | '/alerts'
    | '/groups'
    | '/api-keys'
    | '/users'
    | '/webhooks'
    | '/blocks'
    | '/audit-log'
    | '/settings'
    | '/system';
  /** Of `common.navigation`. */
  title:
    | 'overview'
    | 'links'
    | 'tags'
    | 'domains'
    | 'hosts'
    | 'orphans'
    | 'alerts'
    | 'groups'
    | 'apiKeys'
    | 'users'
    | 'webhooks'
    | 'blocks'
    | 'auditLog'
    | 'settings'
    | 'system';
  icon: IconName;
  /** Whether it is for them; absent: for everybody. The api decides what they may do there. */
  isFor?: (user: User) => boolean;
}

export const NAVIGATION: readonly NavigationEntry[] = [
  { to: '/', title: 'overview', icon: 'overview' },
  { to: '/links', title: 'links', icon: 'links' },
  { to: '/tags', title: 'tags', icon: 'tags' },
  { to: '/domains', title: 'domains', icon: 'domains' },
  { to: '/groups', title: 'groups', icon: 'groups' },
  { to: '/hosts', title: 'hosts', icon: 'hosts', isFor: reachesEverything },
  { to: '/orphan-visits', title: 'orphans', icon: 'orphans' },
  { to: '/alerts', title: 'alerts', icon: 'alerts' },
  { to: '/api-keys', title: 'apiKeys', icon: 'key', isFor: mayAdminister },
  { to: '/users', title: 'users', icon: 'users', isFor: mayAdminister },
  { to: '/webhooks', title: 'webhooks', icon: 'webhooks', isFor: mayAdminister },
  { to: '/blocks', title: 'blocks', icon: 'blocks', isFor: mayAdminister },
  { to: '/audit-log', title: 'auditLog', icon: 'auditLog', isFor: mayAdminister },
  { to: '/settings', title: 'settings', icon: 'settings' },
  { to: '/system', title: 'system', icon: 'system', isFor: mayAdminister },
];
