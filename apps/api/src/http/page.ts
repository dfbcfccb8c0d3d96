import type { Page } from '@hopcount/contracts';

/** No answer holds more rows than this, also when all are asked for; unless they are so small that it may be more. */
export const MAX_ITEMS_PER_PAGE = 5_000;

/** How many rows to read; `all` is bounded. */
export function pageSize(
  itemsPerPage: number | undefined,
  fallback: number | 'all',
  atMost = MAX_ITEMS_PER_PAGE,
): number | 'all' {
  const asked = itemsPerPage === undefined ? fallback : itemsPerPage < 1 ? 'all' : itemsPerPage;
  return asked === 'all' ? asked : Math.min(asked, atMost);
}

interface Asked {
  page: number;
  size: number | 'all';
  /** Of rows in an answer. */
  atMost?: number;
}

/** Rows of page `currentPage` in the envelope clients page through; `all` reports what was there, at least 1. */
export function toPage<T>(data: T[], asked: Asked & { totalItems: number; isLowerBound?: boolean }): Page<T> {
  const { totalItems, atMost = MAX_ITEMS_PER_PAGE } = asked;
  const itemsPerPage = asked.size === 'all' ? Math.min(Math.max(totalItems, 1), atMost) : asked.size;
  return {
    data,
    pagination: {
      currentPage: asked.page,
      pagesCount: Math.max(1, Math.ceil(totalItems / itemsPerPage)),
      itemsPerPage,
      itemsInCurrentPage: data.length,
      totalItems,
      ...(asked.isLowerBound === true ? { totalItemsIsLowerBound: true } : {}),
    },
  };
}

/** First row and number of rows of a page. */
export function pageWindow(asked: Asked): { offset: number; limit: number } {
  const limit = asked.size === 'all' ? (asked.atMost ?? MAX_ITEMS_PER_PAGE) : asked.size;
  return { offset: (asked.page - 1) * limit, limit };
}
