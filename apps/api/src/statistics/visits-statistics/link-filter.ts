import type { VisitFilter } from '@hopcount/archive';
import type { LinkStore } from '@hopcount/links';
import type { Reach } from '@hopcount/runtime';

import type { AskedFilter } from './visits-statistics.query.js';

/** Name of filters by short URL: no dimension, as what it has values of is asked for by `statistics/links`. */
export const LINK_FILTER = 'shortCode';

export function isOfLinks(filter: AskedFilter): filter is AskedFilter & { dimension: typeof LINK_FILTER } {
  return filter.dimension === LINK_FILTER;
}

/**
 * Filters by short URLs as filters by their links. A value is a short code of `domain` (the default one, unless named), or of
 * the domain before it: `s.example.com/sale`.
 * @throws AppError `short-url-not-found`
 */
export async function linkFilters(
  links: Pick<LinkStore, 'get'>,
  reach: Reach,
  domain: string | null,
  filters: readonly AskedFilter[],
): Promise<VisitFilter[]> {
  const idOf = async (value: string) => {
    const slash = value.lastIndexOf('/');
    const [ofDomain, code] = slash === -1 ? [domain, value] : [value.slice(0, slash), value.slice(slash + 1)];
    return (await links.get(reach, code, ofDomain)).id;
  };
  return Promise.all(
    filters.map(async ({ values, isExcluded }) => {
      const ids = await Promise.all(values.map(idOf));
      return { dimension: 'link' as const, values: ids, prefixes: [], isExcluded };
    }),
  );
}
