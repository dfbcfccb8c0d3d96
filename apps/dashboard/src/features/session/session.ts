import { answerOf, type components } from '@hopcount/client';
import { queryOptions, useSuspenseQuery } from '@tanstack/react-query';

import { api } from '../../api/client.js';

export type User = components['schemas']['User'];

export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: ({ signal }) => answerOf(api.GET('/rest/v3/session', { signal })),
  staleTime: 60_000,
});

/** Who is signed in; on pages for which somebody has to be. */
export function useUser(): User {
  return useSuspenseQuery(sessionQuery).data;
}
