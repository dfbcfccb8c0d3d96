import { Skeleton } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';

import classes from './answer.module.css';
import { ErrorState } from './ErrorState.js';

interface Props<Data> {
  query: UseQueryResult<Data>;
  /** Height that is kept free until there is an answer, in pixels, so that nothing moves. */
  height?: number;
  children: (data: Data) => ReactNode;
}

/** An answer of the api on its way: room for it, then it, greyed while another one is awaited; or why there is none. */
export function Answer<Data>({ query, height = 200, children }: Props<Data>) {
  if (query.isError) return <ErrorState error={query.error} onRetry={() => void query.refetch()} />;
  if (query.data === undefined) return <Skeleton height={height} aria-busy="true" />;
  return (
    <div className={query.isPlaceholderData ? classes.old : undefined} aria-busy={query.isPlaceholderData}>
      {children(query.data)}
    </div>
  );
}
