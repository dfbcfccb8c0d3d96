import { createRoute, lazyRouteComponent } from '@tanstack/react-router';

import { signedInRoute } from '../../app/routes.js';

export const groupsRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/groups',
  component: lazyRouteComponent(() => import('./GroupsPage.js'), 'GroupsPage'),
});
