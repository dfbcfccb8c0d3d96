import type { ErrorComponentProps } from '@tanstack/react-router';

import { ErrorState } from './ErrorState.js';

export function ErrorPage({ error, reset }: ErrorComponentProps) {
  return <ErrorState error={error} onRetry={reset} />;
}
