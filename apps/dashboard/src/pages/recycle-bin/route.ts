import { createRoute, lazyRouteComponent } from '@tanstack/react-router';

import { signedInRoute } from '../../app/routes.js';
import { parsePage } from '../../ui/page-search.js';

export const recycleBinRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/recycle-bin',
  validateSearch: parsePage,
  component: lazyRouteComponent(() => import('./RecycleBinPage.js'), 'RecycleBinPage'),
});
