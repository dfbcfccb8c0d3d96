import { createRoute, lazyRouteComponent } from '@tanstack/react-router';

import { signedInRoute } from '../../app/routes.js';
import { parsePage } from '../../ui/page-search.js';

export const settingsRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/settings',
  validateSearch: parsePage,
  component: lazyRouteComponent(() => import('./SettingsPage.js'), 'SettingsPage'),
});
