import { createRoute, lazyRouteComponent } from '@tanstack/react-router';

import { rootRoute } from '../../app/routes.js';
import { parseView, type ViewSearch } from '../../features/view/view.js';

type ShareSearch = ViewSearch & Partial<Record<(typeof SCOPE)[number], string>>;

const SCOPE = ['domain', 'tag', 'group', 'shortCode'] as const;

/** No sign-in, and nothing of those who have one: the token behind the `#` says what may be seen. */
export const shareRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/share',
  validateSearch: (search: Record<string, unknown>): ShareSearch => ({
    ...parseView(search),
    ...Object.fromEntries(SCOPE.flatMap((name) => (isText(search[name]) ? [[name, search[name]]] : []))),
  }),
  component: lazyRouteComponent(() => import('./SharePage.js'), 'SharePage'),
});

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
