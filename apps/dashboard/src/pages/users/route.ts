import { createRoute, lazyRouteComponent } from '@tanstack/react-router';

import { administrationRoute } from '../../app/routes.js';
import { parsePage } from '../../ui/page-search.js';

export const usersRoute = createRoute({
  getParentRoute: () => administrationRoute,
  path: '/users',
  validateSearch: parsePage,
  component: lazyRouteComponent(() => import('./UsersPage.js'), 'UsersPage'),
});
