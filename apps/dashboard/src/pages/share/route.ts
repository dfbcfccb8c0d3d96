import { createRoute } from '@tanstack/react-router';

import { rootRoute } from '../../app/routes.js';
import { parseView, type ViewSearch } from '../../features/view/view.js';
import { lazyPage } from '../../ui/lazy-part.js';

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
  component: lazyPage(() => import('./SharePage.js'), 'SharePage', { isFirst: true }),
});

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
