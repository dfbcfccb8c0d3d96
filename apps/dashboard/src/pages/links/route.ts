import { createRoute, lazyRouteComponent } from '@tanstack/react-router';

import { signedInRoute } from '../../app/routes.js';

export interface LinksSearch {
  search?: string;
  tag?: string;
  order?: string;
  page?: number;
}

const ORDER = /^(dateCreated|shortCode|longUrl|title|visits|nonBotVisits)-(ASC|DESC)$/;

export const linksRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/links',
  validateSearch: ({ search, tag, order, page }: Record<string, unknown>): LinksSearch => ({
    ...(typeof search === 'string' && search !== '' && { search }),
    ...(typeof tag === 'string' && tag !== '' && { tag }),
    ...(typeof order === 'string' && ORDER.test(order) && { order }),
    ...(Number(page) > 1 && { page: Math.floor(Number(page)) }),
  }),
  component: lazyRouteComponent(() => import('./LinksPage.js'), 'LinksPage'),
});
