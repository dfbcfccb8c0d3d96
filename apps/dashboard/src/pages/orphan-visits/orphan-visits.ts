import { answerOf } from '@hopcount/client';

import { api } from '../../api/client.js';
import { useApi } from '../../api/use-api.js';
import type { Question } from '../../features/view/view.js';

const PER_PAGE = 25;

export function useOrphanTotals(question: Question) {
  const query = { ...question, orphans: 'true' as const, uniques: 'none' as const };
  return useApi(['statistics', 'orphans', query], (signal) =>
    answerOf(api.GET('/rest/v3/statistics/totals', { params: { query }, signal })),
  );
}

/** @param range half-open, as statistics say it; the list's last instant is in it */
export function useOrphanVisits(range: { startDate: string; endDate: string }, page: number) {
  const query = {
    ...{ page: String(page), itemsPerPage: String(PER_PAGE), startDate: range.startDate },
    endDate: new Date(Date.parse(range.endDate) - 1).toISOString(),
  };
  return useApi(['visits', 'orphan', query], (signal) =>
    answerOf(api.GET('/rest/v3/visits/orphan', { params: { query }, signal })),
  );
}
