import { createRoute, lazyRouteComponent } from '@tanstack/react-router';

import { administrationRoute } from '../../app/routes.js';

export const systemRoute = createRoute({
  getParentRoute: () => administrationRoute,
  path: '/system',
  component: lazyRouteComponent(() => import('./SystemPage.js'), 'SystemPage'),
});
