import { createRoute, lazyRouteComponent } from '@tanstack/react-router';

import { rootRoute } from '../../app/routes.js';

export const inviteRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/invite',
  component: lazyRouteComponent(() => import('./InvitePage.js'), 'InvitePage'),
});
