import { createRoute } from '@tanstack/react-router';

import { rootRoute } from '../../app/routes.js';
import { lazyPage } from '../../ui/lazy-part.js';

export const inviteRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/invite',
  component: lazyPage(() => import('./InvitePage.js'), 'InvitePage', { isFirst: true }),
});
