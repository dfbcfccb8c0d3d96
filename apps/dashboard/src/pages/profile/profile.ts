import { answerOf, type components } from '@hopcount/client';

import { api } from '../../api/client.js';
import { useApi } from '../../api/use-api.js';
import { useChange } from '../../api/use-change.js';

export type Session = components['schemas']['Session'];
export type SecondFactor = components['schemas']['SecondFactor'];
/** Who is signed in, as `sessionQuery` asks. */
const USER = 'session';
const SESSIONS = 'sessions';

export function useSessions() {
  return useApi([SESSIONS], (signal) => answerOf(api.GET('/rest/v3/sessions', { signal })));
}

export function useEndSession() {
  return useChange(SESSIONS, ({ id }: Session) =>
    answerOf(api.DELETE('/rest/v3/sessions/{id}', { params: { path: { id } } })),
  );
}

/** Ends all other sessions. */
export function useChangePassword() {
  return useChange(SESSIONS, (body: { password: string; newPassword: string }) =>
    answerOf(api.PUT('/rest/v3/session/password', { body })),
  );
}

export function useBeginSecondFactor() {
  return useChange(USER, (body: { password: string }) =>
    answerOf(api.POST('/rest/v3/session/second-factor', { body })),
  );
}

export function useConfirmSecondFactor() {
  return useChange(USER, (body: { code: string }) =>
    answerOf(api.POST('/rest/v3/session/second-factor/confirm', { body })),
  );
}

export function useRemoveSecondFactor() {
  return useChange(USER, (body: { password: string; code: string }) =>
    answerOf(api.POST('/rest/v3/session/second-factor/remove', { body })),
  );
}
