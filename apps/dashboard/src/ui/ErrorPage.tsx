import { type ErrorComponentProps, useRouter } from '@tanstack/react-router';

import { ErrorState } from './ErrorState.js';

/** Asks again for whatever the page could not be shown without. */
export function ErrorPage({ error }: ErrorComponentProps) {
  const router = useRouter();
  return <ErrorState error={error} onRetry={() => void router.invalidate()} />;
}
