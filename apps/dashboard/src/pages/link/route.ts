import { createRoute } from '@tanstack/react-router';

import { signedInRoute } from '../../app/routes.js';
import { lazyPage } from '../../ui/lazy-part.js';

export const linkRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/links/$code',
  /** Which one, where several domains have the code. */
  validateSearch: ({ domain }: Record<string, unknown>): { domain?: string } =>
    typeof domain === 'string' && domain !== '' ? { domain } : {},
  component: lazyPage(() => import('./LinkPage.js'), 'LinkPage'),
});
