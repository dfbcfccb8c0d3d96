import { createRoute } from '@tanstack/react-router';

import { administrationRoute } from '../../app/routes.js';
import { lazyPage } from '../../ui/lazy-part.js';
import { parsePage } from '../../ui/page-search.js';

export const apiKeysRoute = createRoute({
  getParentRoute: () => administrationRoute,
  path: '/api-keys',
  validateSearch: parsePage,
  component: lazyPage(() => import('./ApiKeysPage.js'), 'ApiKeysPage'),
});
