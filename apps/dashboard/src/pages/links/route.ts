import { createRoute, lazyRouteComponent } from '@tanstack/react-router';

import { signedInRoute } from '../../app/routes.js';

export interface LinksSearch {
  search?: string;
  tag?: string;
  order?: string;
  page?: number;
  /** Links on a page. */
  size?: number;
}

/** @public */
export const PAGE_SIZES = [25, 50, 100] as const;

const ORDER = /^(dateCreated|shortCode|longUrl|title|visits|nonBotVisits)-(ASC|DESC)$/;

export const linksRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/links',
  validateSearch: ({ search, tag, order, page, size }: Record<string, unknown>): LinksSearch => ({
    ...(typeof search === 'string' && search !== '' && { search }),
    ...(typeof tag === 'string' && tag !== '' && { tag }),
    ...(typeof order === 'string' && ORDER.test(order) && { order }),
    ...(PAGE_SIZES.some((one) => one > PAGE_SIZES[0] && one === Number(size)) && { size: Number(size) }),
    ...(Number(page) > 1 && { page: Math.floor(Number(page)) }),
  }),
  component: lazyRouteComponent(() => import('./LinksPage.js'), 'LinksPage'),
});
