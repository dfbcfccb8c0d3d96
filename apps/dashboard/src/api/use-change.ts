import { useMutation, useQueryClient } from '@tanstack/react-query';

/** What changes something: whatever was asked about `subject` (the first part of its key) is asked for again afterwards. */
export function useChange<Given, Answer>(subject: string, change: (given: Given) => Promise<Answer>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSettled: () => client.invalidateQueries({ queryKey: [subject] }),
  });
}
