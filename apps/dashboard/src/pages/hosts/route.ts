import { createRoute } from '@tanstack/react-router';

import { signedInRoute } from '../../app/routes.js';
import { lazyPage } from '../../ui/lazy-part.js';
import { parseHostsSearch } from './hosts-search.js';

export const hostsRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/hosts',
  validateSearch: parseHostsSearch,
  component: lazyPage(() => import('./HostsPage.js'), 'HostsPage'),
});
