import { createRoute } from '@tanstack/react-router';

import { signedInRoute } from '../../app/routes.js';
import { lazyPage } from '../../ui/lazy-part.js';
import { parsePage } from '../../ui/page-search.js';

export const orphanVisitsRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/orphan-visits',
  validateSearch: parsePage,
  component: lazyPage(() => import('./OrphanVisitsPage.js'), 'OrphanVisitsPage'),
});
