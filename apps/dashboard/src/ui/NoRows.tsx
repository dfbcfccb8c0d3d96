import { Skeleton } from '@mantine/core';
import type { components } from '@hopcount/client';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useEffect } from 'react';

import { EmptyState } from './EmptyState.js';
import { lastPageBefore, parsePage } from './page-search.js';

interface Props {
  /** What was asked: an answer of before may know fewer pages than there are. */
  query: { isFetching: boolean };
  pagination: components['schemas']['Pagination'];
  /** What is said where there is nothing at all. */
  children: ReactNode;
}

/** In place of the rows of a page that has none. One whose rows were all taken away leads to the page that is the last now. */
export function NoRows({ query: { isFetching }, pagination, children }: Props) {
  const navigate = useNavigate();
  const page = lastPageBefore(pagination);
  useEffect(() => {
    if (page === undefined || isFetching) return;
    void navigate({
      ...{ to: '.', replace: true, resetScroll: false },
      search: (before: Record<string, unknown>) => ({ ...before, page: undefined, ...parsePage({ page }) }),
    });
  }, [navigate, page, isFetching]);
  return page === undefined ? <EmptyState>{children}</EmptyState> : <Skeleton height={200} aria-busy="true" />;
}
