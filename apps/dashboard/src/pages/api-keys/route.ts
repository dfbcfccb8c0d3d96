import { createRoute, lazyRouteComponent } from '@tanstack/react-router';

import { administrationRoute } from '../../app/routes.js';
import { parsePage } from '../../ui/page-search.js';

export const apiKeysRoute = createRoute({
  getParentRoute: () => administrationRoute,
  path: '/api-keys',
  validateSearch: parsePage,
  component: lazyRouteComponent(() => import('./ApiKeysPage.js'), 'ApiKeysPage'),
});
