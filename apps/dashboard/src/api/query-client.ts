import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';

import { isPassing, isSignedOut } from './problems.js';

const RETRIES = 2;
const listeners = new Set<() => void>();

/** The session may end at any time, elsewhere too. */
export function onSignedOut(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

const onError = (error: unknown) => {
  if (isSignedOut(error)) for (const listener of listeners) listener();
};

export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError }),
  mutationCache: new MutationCache({ onError }),
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      retry: (failures, error) => failures < RETRIES && isPassing(error),
    },
  },
});
