import { createRoute, lazyRouteComponent } from '@tanstack/react-router';

import { signedInRoute } from '../../app/routes.js';

export const domainsRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/domains',
  component: lazyRouteComponent(() => import('./DomainsPage.js'), 'DomainsPage'),
});
