import { createRoute, lazyRouteComponent } from '@tanstack/react-router';

import { administrationRoute } from '../../app/routes.js';

export const webhooksRoute = createRoute({
  getParentRoute: () => administrationRoute,
  path: '/webhooks',
  component: lazyRouteComponent(() => import('./WebhooksPage.js'), 'WebhooksPage'),
});
