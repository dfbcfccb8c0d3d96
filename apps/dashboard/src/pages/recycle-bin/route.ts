import { createRoute } from '@tanstack/react-router';

import { signedInRoute } from '../../app/routes.js';
import { lazyPage } from '../../ui/lazy-part.js';
import { parsePage } from '../../ui/page-search.js';

export const recycleBinRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/recycle-bin',
  validateSearch: parsePage,
  component: lazyPage(() => import('./RecycleBinPage.js'), 'RecycleBinPage'),
});
