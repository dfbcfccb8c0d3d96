import { answerOf, type components } from '@hopcount/client';
import { queryOptions, useSuspenseQuery } from '@tanstack/react-query';

import { api } from '../../api/client.js';
import { queryClient } from '../../api/query-client.js';

export type User = components['schemas']['User'];

export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: ({ signal }) => answerOf(api.GET('/rest/v3/session', { signal })),
  staleTime: 60_000,
});

let early: Promise<User> | undefined;

/** Asks before the router does. */
export function askSessionEarly(): void {
  early = queryClient.fetchQuery(sessionQuery);
  // Whoever awaits it says so.
  early.catch(() => undefined);
}

/** Who is signed in. An early answer counts once, also that nobody is: a query that failed would be asked again. */
export function findSession(): Promise<User> {
  const asked = early ?? queryClient.ensureQueryData(sessionQuery);
  early = undefined;
  return asked;
}

/** Who is signed in; on pages for which somebody has to be. */
export function useUser(): User {
  return useSuspenseQuery(sessionQuery).data;
}
