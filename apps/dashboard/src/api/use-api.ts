import { keepPreviousData, useQuery, type UseQueryResult } from '@tanstack/react-query';

/**
 * What the api answers. While another question is answered the old answer stays (`isPlaceholderData`), to be shown greyed.
 * @param key all that the question depends on
 */
export function useApi<Answer>(
  key: readonly unknown[],
  ask: (signal: AbortSignal) => Promise<Answer>,
  {
    refetchInterval,
    ...options
  }: { enabled?: boolean; refetchInterval?: number | ((answer: Answer) => number | false) } = {},
): UseQueryResult<Answer> {
  return useQuery({
    queryKey: key,
    queryFn: ({ signal }) => ask(signal),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state: { data } }) =>
      typeof refetchInterval === 'function' ? data !== undefined && refetchInterval(data) : (refetchInterval ?? false),
    ...options,
  });
}
