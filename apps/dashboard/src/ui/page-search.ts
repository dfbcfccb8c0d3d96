import type { components } from '@hopcount/client';

/** The page of a list in the address. */
interface PageSearch {
  page?: number;
}

export function parsePage({ page }: Record<string, unknown>): PageSearch {
  return Number(page) > 1 ? { page: Math.floor(Number(page)) } : {};
}

/** Where a page is to go that is behind the last one, as its rows were taken away meanwhile; undefined where it is not. */
export function lastPageBefore({
  currentPage,
  pagesCount,
}: Pick<components['schemas']['Pagination'], 'currentPage' | 'pagesCount'>): number | undefined {
  return currentPage > pagesCount ? pagesCount : undefined;
}
