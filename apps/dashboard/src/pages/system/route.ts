import { createRoute } from '@tanstack/react-router';

import { administrationRoute } from '../../app/routes.js';
import { lazyPage } from '../../ui/lazy-part.js';

export const systemRoute = createRoute({
  getParentRoute: () => administrationRoute,
  path: '/system',
  component: lazyPage(() => import('./SystemPage.js'), 'SystemPage'),
});
