import { answerOf, type components } from '@hopcount/client';

import { api } from '../../api/client.js';
import { useApi } from '../../api/use-api.js';
import type { toExplainQuestion } from './explained.js';

export type ExplainedVisit = components['schemas']['ExplainedVisit'];
export type Proof = components['schemas']['VisitsProof'];

type Asked = ReturnType<typeof toExplainQuestion>;
const VISITS_PER_PAGE = 50;

/** @param before the last visit of the page before */
export function useExplained(asked: Asked, before: string | undefined) {
  const query = { ...asked, itemsPerPage: String(VISITS_PER_PAGE), ...(before !== undefined && { before }) };
  return useApi(['statistics', 'explain', query], (signal) =>
    answerOf(api.GET('/rest/v3/statistics/explain', { params: { query }, signal })),
  );
}

export function useProof(asked: Asked) {
  return useApi(['statistics', 'proof', asked], (signal) =>
    answerOf(api.GET('/rest/v3/statistics/proof', { params: { query: asked }, signal })),
  );
}
