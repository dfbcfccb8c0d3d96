import { createRoute, lazyRouteComponent } from '@tanstack/react-router';

import { signedInRoute } from '../../app/routes.js';

export const overviewRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/',
  component: lazyRouteComponent(() => import('./OverviewPage.js'), 'OverviewPage'),
});
