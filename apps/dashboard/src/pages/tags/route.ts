import { createRoute } from '@tanstack/react-router';

import { signedInRoute } from '../../app/routes.js';
import { lazyPage } from '../../ui/lazy-part.js';
import { parsePage } from '../../ui/page-search.js';

export const tagsRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/tags',
  validateSearch: parsePage,
  component: lazyPage(() => import('./TagsPage.js'), 'TagsPage'),
});
