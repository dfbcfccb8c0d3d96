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

/**
 * What a form begins with, asked for each time one opens: an answer of before has an old version, whose edit would be refused, and the
 * one of another question, which `useApi` shows meanwhile, would be saved over what this one is about.
 */
export function useFresh<Answer>(
  key: readonly unknown[],
  ask: (signal: AbortSignal) => Promise<Answer>,
): UseQueryResult<Answer> {
  return useQuery({
    queryKey: [...key, 'fresh'],
    queryFn: ({ signal }) => ask(signal),
    gcTime: 0,
    // The form that is open does not take another answer.
    staleTime: Infinity,
  });
}
