import { createRoute } from '@tanstack/react-router';

import { administrationRoute } from '../../app/routes.js';
import { lazyPage } from '../../ui/lazy-part.js';
import { parsePage } from '../../ui/page-search.js';
import { KINDS, type BlockKind } from './blocks.js';

export interface BlocksSearch {
  kind?: BlockKind;
  search?: string;
  page?: number;
}

export const blocksRoute = createRoute({
  getParentRoute: () => administrationRoute,
  path: '/blocks',
  validateSearch: ({ kind, search, page }: Record<string, unknown>): BlocksSearch => {
    const known = KINDS.find((one) => one === kind);
    return {
      ...(known !== undefined && { kind: known }),
      ...(typeof search === 'string' && search !== '' && { search }),
      ...parsePage({ page }),
    };
  },
  component: lazyPage(() => import('./BlocksPage.js'), 'BlocksPage'),
});
