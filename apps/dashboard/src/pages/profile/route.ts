import { createRoute, lazyRouteComponent } from '@tanstack/react-router';

import { signedInRoute } from '../../app/routes.js';

export const profileRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/profile',
  component: lazyRouteComponent(() => import('./ProfilePage.js'), 'ProfilePage'),
});
