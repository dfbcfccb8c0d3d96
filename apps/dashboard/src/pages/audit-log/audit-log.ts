import { answerOf, type components } from '@hopcount/client';

import { api } from '../../api/client.js';
import { useApi } from '../../api/use-api.js';
import { type AuditAsked, toQuery } from './audit-query.js';

export type AuditEntry = components['schemas']['AuditEntry'];
const PAGE_SIZE = '50';

export function useAuditLog(asked: AuditAsked) {
  const query = { ...toQuery(asked), itemsPerPage: PAGE_SIZE };
  return useApi(['audit-log', query], (signal) =>
    answerOf(api.GET('/rest/v3/audit-log', { params: { query }, signal })),
  );
}
