import { answerOf, type components } from '@hopcount/client';
import { useInfiniteQuery } from '@tanstack/react-query';

import { api } from '../../api/client.js';
import { useApi } from '../../api/use-api.js';
import { useChange } from '../../api/use-change.js';

export type System = components['schemas']['System'];
export type DeadLetterSummary = components['schemas']['DeadLetterSummary'];
export type SystemCheck = components['schemas']['SystemCheck'];
export type Verification = components['schemas']['Verification'];

const SUBJECT = 'system';
const REFRESHED_MS = 5_000;
const CHECKED_MS = 60_000;
/** While somebody waits for a verification. */
const AWAITED_MS = 1_000;
const PAGE = '25';

export function useSystem() {
  return useApi([SUBJECT, 'state'], (signal) => answerOf(api.GET('/rest/v3/system', { signal })), {
    refetchInterval: ({ verification }) =>
      verification !== null && verification.endedAt === null ? AWAITED_MS : REFRESHED_MS,
  });
}

export function useChecks() {
  return useApi([SUBJECT, 'checks'], (signal) => answerOf(api.GET('/rest/v3/system/checks', { signal })), {
    refetchInterval: CHECKED_MS,
  });
}

export function useDeadLetters() {
  return useInfiniteQuery({
    queryKey: [SUBJECT, 'letters'],
    queryFn: ({ pageParam: after, signal }) => {
      const query = { itemsPerPage: PAGE, ...(after !== null && { after }) };
      return answerOf(api.GET('/rest/v3/system/dead-letters', { params: { query }, signal }));
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ deadLetters }) => deadLetters.next,
  });
}

export function useDeadLetter(place: string) {
  return useApi([SUBJECT, 'letter', place], (signal) =>
    answerOf(api.GET('/rest/v3/system/dead-letters/{place}', { params: { path: { place } }, signal })),
  );
}

export function useRedrive() {
  return useChange(SUBJECT, (places: string[]) =>
    answerOf(api.POST('/rest/v3/system/dead-letters/redrive', { body: { places } })),
  );
}

export function useStartVerification() {
  return useChange(SUBJECT, () => answerOf(api.POST('/rest/v3/system/verifications', {})));
}

export function useAuditMinutes() {
  return useApi([SUBJECT, 'minutes'], (signal) =>
    answerOf(api.GET('/rest/v3/system/audit-minutes', { params: { query: { itemsPerPage: PAGE } }, signal })),
  );
}

export function useArchiveFiles() {
  return useApi([SUBJECT, 'files'], (signal) =>
    answerOf(api.GET('/rest/v3/system/archive-files', { params: { query: { itemsPerPage: PAGE } }, signal })),
  );
}
