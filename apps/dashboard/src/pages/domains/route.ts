import { createRoute } from '@tanstack/react-router';

import { signedInRoute } from '../../app/routes.js';
import { lazyPage } from '../../ui/lazy-part.js';

export const domainsRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/domains',
  component: lazyPage(() => import('./DomainsPage.js'), 'DomainsPage'),
});
