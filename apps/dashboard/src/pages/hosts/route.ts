import { createRoute, lazyRouteComponent } from '@tanstack/react-router';

import { signedInRoute } from '../../app/routes.js';
import { parseHostsSearch } from './hosts-search.js';

export const hostsRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/hosts',
  validateSearch: parseHostsSearch,
  component: lazyRouteComponent(() => import('./HostsPage.js'), 'HostsPage'),
});
