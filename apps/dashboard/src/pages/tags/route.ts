import { createRoute, lazyRouteComponent } from '@tanstack/react-router';

import { signedInRoute } from '../../app/routes.js';
import { parsePage } from '../../ui/page-search.js';

export const tagsRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/tags',
  validateSearch: parsePage,
  component: lazyRouteComponent(() => import('./TagsPage.js'), 'TagsPage'),
});
