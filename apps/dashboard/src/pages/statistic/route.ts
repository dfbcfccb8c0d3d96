import { createRoute } from '@tanstack/react-router';

import { signedInRoute } from '../../app/routes.js';
import { lazyPage } from '../../ui/lazy-part.js';
import { parsePage } from '../../ui/page-search.js';

export interface StatisticSearch {
  page?: number;
  /** Of one short URL. */
  code?: string;
  domain?: string;
  /** As the api names it: `value-ASC`. */
  order?: string;
}

function parseSearch(search: Record<string, unknown>): StatisticSearch {
  const { code, domain, order } = search;
  return {
    ...parsePage(search),
    ...(typeof code === 'string' && code !== '' && { code }),
    ...(typeof domain === 'string' && domain !== '' && { domain }),
    ...(typeof order === 'string' && /^(visits|value)-(ASC|DESC)$/.test(order) && { order }),
  };
}

export const statisticRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/statistics/$name',
  validateSearch: parseSearch,
  component: lazyPage(() => import('./StatisticPage.js'), 'StatisticPage'),
});
