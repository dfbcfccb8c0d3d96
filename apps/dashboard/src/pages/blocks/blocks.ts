import { answerOf, type components, type operations } from '@hopcount/client';

import { api } from '../../api/client.js';
import { useApi } from '../../api/use-api.js';
import { useChange } from '../../api/use-change.js';

export type Block = components['schemas']['Block'];
export type BlockKind = Block['kind'];
export type AbuseReport = components['schemas']['AbuseReport'];
export type NewBlock = operations['addBlock']['requestBody']['content']['application/json'];

export const KINDS = ['host', 'pattern', 'link'] as const satisfies readonly BlockKind[];
export const ACTIONS = ['block', 'warn'] as const satisfies readonly Block['action'][];
const PAGE_SIZE = '50';
/** Of what visitors reported the newest are shown: what was looked at is dismissed. */
const REPORTS_SHOWN = '20';
const SUBJECT = 'blocks';

export function useBlocks({ kind, search, page }: { kind?: BlockKind; search?: string; page: number }) {
  const query = {
    ...(kind !== undefined && { kind }),
    ...(search !== undefined && { searchTerm: search }),
    ...{ page: String(page), itemsPerPage: PAGE_SIZE },
  };
  return useApi([SUBJECT, 'list', query], (signal) =>
    answerOf(api.GET('/rest/v3/blocks', { params: { query }, signal })),
  );
}

export function useReports() {
  const query = { itemsPerPage: REPORTS_SHOWN };
  return useApi([SUBJECT, 'reports'], (signal) =>
    answerOf(api.GET('/rest/v3/abuse-reports', { params: { query }, signal })),
  );
}

export function useAddBlock() {
  return useChange(SUBJECT, (body: NewBlock) => answerOf(api.POST('/rest/v3/blocks', { body })));
}

export function useRemoveBlock() {
  return useChange(SUBJECT, ({ id }: Block) =>
    answerOf(api.DELETE('/rest/v3/blocks/{blockId}', { params: { path: { blockId: id } } })),
  );
}

export function useDismissReport() {
  return useChange(SUBJECT, ({ id }: AbuseReport) =>
    answerOf(api.DELETE('/rest/v3/abuse-reports/{reportId}', { params: { path: { reportId: id } } })),
  );
}
