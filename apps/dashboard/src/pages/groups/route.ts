import { createRoute } from '@tanstack/react-router';

import { signedInRoute } from '../../app/routes.js';
import { lazyPage } from '../../ui/lazy-part.js';

export const groupsRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/groups',
  component: lazyPage(() => import('./GroupsPage.js'), 'GroupsPage'),
});
