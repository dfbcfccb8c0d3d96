import { createRoute, lazyRouteComponent } from '@tanstack/react-router';

import { rootRoute } from '../../app/routes.js';

export const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-in',
  validateSearch: ({ returnTo }: Record<string, unknown>): { returnTo?: string } =>
    typeof returnTo === 'string' ? { returnTo } : {},
  component: lazyRouteComponent(() => import('./SignInPage.js'), 'SignInPage'),
});
