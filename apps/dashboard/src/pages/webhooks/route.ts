import { createRoute } from '@tanstack/react-router';

import { administrationRoute } from '../../app/routes.js';
import { lazyPage } from '../../ui/lazy-part.js';

export const webhooksRoute = createRoute({
  getParentRoute: () => administrationRoute,
  path: '/webhooks',
  component: lazyPage(() => import('./WebhooksPage.js'), 'WebhooksPage'),
});
