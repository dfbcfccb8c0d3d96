import { createRoute } from '@tanstack/react-router';

import { rootRoute } from '../../app/routes.js';
import { lazyPage } from '../../ui/lazy-part.js';

export const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-in',
  validateSearch: ({ returnTo }: Record<string, unknown>): { returnTo?: string } =>
    typeof returnTo === 'string' ? { returnTo } : {},
  component: lazyPage(() => import('./SignInPage.js'), 'SignInPage', { isFirst: true }),
});
