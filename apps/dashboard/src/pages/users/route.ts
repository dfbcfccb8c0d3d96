import { createRoute } from '@tanstack/react-router';

import { administrationRoute } from '../../app/routes.js';
import { lazyPage } from '../../ui/lazy-part.js';
import { parsePage } from '../../ui/page-search.js';

export const usersRoute = createRoute({
  getParentRoute: () => administrationRoute,
  path: '/users',
  validateSearch: parsePage,
  component: lazyPage(() => import('./UsersPage.js'), 'UsersPage'),
});
