import { answerOf } from '@hopcount/client';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';

import { api } from '../../api/client.js';
import { isSignedOut } from '../../api/problems.js';
import { queryClient } from '../../api/query-client.js';

/** Nobody is told that they are signed out unless they are. */
export function useSignOut() {
  const navigate = useNavigate();
  return useMutation({
    mutationFn: ({ everywhere }: { everywhere: boolean }) =>
      answerOf(api.DELETE('/rest/v3/session', { params: { query: everywhere ? { everywhere: 'true' } : {} } })).catch(
        (error: unknown) => {
          if (!isSignedOut(error)) throw error;
        },
      ),
    onSuccess: () => {
      queryClient.clear();
      return navigate({ to: '/sign-in' });
    },
  });
}
