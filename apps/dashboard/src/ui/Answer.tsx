import { Alert, Skeleton } from '@mantine/core';
import { type CSSProperties, type ReactNode, useDeferredValue } from 'react';
import { useTranslation } from 'react-i18next';

import classes from './answer.module.css';
import { ErrorState } from './ErrorState.js';

/** What a query of any kind says of itself. */
interface Asked<Data> {
  data: Data | undefined;
  error: unknown;
  isError: boolean;
  isPaused: boolean;
  isPlaceholderData: boolean;
  refetch: () => unknown;
}

interface Props<Data> {
  query: Asked<Data>;
  /** Height that is kept free until there is an answer, in pixels, so that nothing moves. */
  height?: number;
  /** As well where the answer is shorter than that: what is below stays where it is. Not on phones, which would scroll past empty boxes. */
  keepsHeight?: boolean;
  /** What is shown until there is an answer, in place of a box of that height. */
  placeholder?: ReactNode;
  children: (data: Data) => ReactNode;
}

/**
 * An answer of the api on its way: room for it, then it. What is known stays, greyed, while another answer is awaited or cannot be
 * had; then it is said why, and what to do.
 */
export function Answer<Data>({ query, height = 200, keepsHeight = false, placeholder, children }: Props<Data>) {
  const { t } = useTranslation();
  const { isError, isPaused, isPlaceholderData } = query;
  // What is long is drawn in pieces, between which the browser answers whoever does something.
  const data = useDeferredValue(query.data);
  const problem = isError ? (
    <ErrorState error={query.error} isOld={data !== undefined} onRetry={() => query.refetch()} />
  ) : isPaused ? (
    <Alert color="yellow" variant="light" role="status">
      {t('common.error.offline')}
    </Alert>
  ) : undefined;
  if (data === undefined) return problem ?? placeholder ?? <Skeleton height={height} aria-busy="true" />;
  const isAwaited = isPlaceholderData || data !== query.data;
  const isOld = isAwaited || problem !== undefined;
  return (
    <>
      {problem}
      <div
        className={[keepsHeight && classes.keeps, isOld && 'old', isAwaited && classes.awaited]
          .filter(Boolean)
          .join(' ')}
        style={keepsHeight ? ({ '--kept': `${height}px` } as CSSProperties) : undefined}
        aria-busy={isAwaited}
      >
        {children(data)}
      </div>
    </>
  );
}
