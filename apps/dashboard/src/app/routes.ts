import { createRootRoute, createRoute, redirect, retainSearchParams } from '@tanstack/react-router';

import { findSession } from '../features/session/session.js';
import { isSignedOut } from '../api/problems.js';
import { parseView, type ViewSearch } from '../features/view/view.js';
import { OwnersOnly } from '../features/administration/OwnersOnly.js';
import { lazyPage } from '../ui/lazy-part.js';

export const rootRoute = createRootRoute();

/** All pages but those of signing in: whoever is not signed in goes there first, and comes back afterwards. */
export const signedInRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'signed-in',
  component: lazyPage(() => import('./Shell.js'), 'Shell', { isFirst: true }),
  validateSearch: (search: Record<string, unknown>): ViewSearch => parseView(search),
  // The time that is looked at goes along from page to page; filters are of the page they were made on.
  search: { middlewares: [retainSearchParams(['range', 'from', 'to', 'zone', 'compare'])] },
  beforeLoad: async ({ location }) => {
    try {
      await findSession();
    } catch (error) {
      if (!isSignedOut(error)) throw error;
      throw redirect({ to: '/sign-in', search: { returnTo: location.href } });
    }
  },
});

/** Pages that only owners of everything get an answer for. */
export const administrationRoute = createRoute({
  getParentRoute: () => signedInRoute,
  id: 'administration',
  component: OwnersOnly,
});
