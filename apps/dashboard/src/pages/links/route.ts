import { createRoute } from '@tanstack/react-router';

import { signedInRoute } from '../../app/routes.js';
import { LISTED_STATES, type ListedState } from '../../features/links/listed-states.js';
import { lazyPage } from '../../ui/lazy-part.js';

export interface LinksSearch {
  search?: string;
  tag?: string;
  /** Its id. */
  group?: string;
  state?: ListedState;
  order?: string;
  page?: number;
  /** Links on a page. */
  size?: number;
}

/** @public */
export const PAGE_SIZES = [25, 50, 100] as const;

const ORDER = /^(dateCreated|shortCode|longUrl|title|visits|nonBotVisits)-(ASC|DESC)$/;

function isListedState(value: unknown): value is ListedState {
  return LISTED_STATES.some((one) => one === value);
}

export const linksRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/links',
  validateSearch: ({ search, tag, group, state, order, page, size }: Record<string, unknown>): LinksSearch => ({
    ...(typeof search === 'string' && search !== '' && { search }),
    ...(typeof tag === 'string' && tag !== '' && { tag }),
    ...(typeof group === 'string' && group !== '' && { group }),
    ...(isListedState(state) && { state }),
    ...(typeof order === 'string' && ORDER.test(order) && { order }),
    ...(PAGE_SIZES.some((one) => one > PAGE_SIZES[0] && one === Number(size)) && { size: Number(size) }),
    ...(Number(page) > 1 && { page: Math.floor(Number(page)) }),
  }),
  component: lazyPage(() => import('./LinksPage.js'), 'LinksPage'),
});
