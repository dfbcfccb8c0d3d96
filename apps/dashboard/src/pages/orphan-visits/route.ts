import { createRoute, lazyRouteComponent } from '@tanstack/react-router';

import { signedInRoute } from '../../app/routes.js';
import { parsePage } from '../../ui/page-search.js';

export const orphanVisitsRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/orphan-visits',
  validateSearch: parsePage,
  component: lazyRouteComponent(() => import('./OrphanVisitsPage.js'), 'OrphanVisitsPage'),
});
