import { keepPreviousData, useQuery, type UseQueryResult } from '@tanstack/react-query';

/**
 * What the api answers. While another question is answered the old answer stays (`isPlaceholderData`), to be shown greyed.
 * @param key all that the question depends on
 */
export function useApi<Answer>(
  key: readonly unknown[],
  ask: (signal: AbortSignal) => Promise<Answer>,
  options: { enabled?: boolean; refetchInterval?: number } = {},
): UseQueryResult<Answer> {
  return useQuery({
    queryKey: key,
    queryFn: ({ signal }) => ask(signal),
    placeholderData: keepPreviousData,
    ...options,
  });
}
