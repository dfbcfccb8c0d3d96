import { createRoute } from '@tanstack/react-router';

import { signedInRoute } from '../../app/routes.js';
import { lazyPage } from '../../ui/lazy-part.js';

export const importRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/import',
  /** The import that is looked at. */
  validateSearch: ({ id }: Record<string, unknown>): { id?: string | undefined } =>
    typeof id === 'string' && /^\d{1,20}$/.test(id) ? { id } : {},
  component: lazyPage(() => import('./ImportPage.js'), 'ImportPage'),
});
