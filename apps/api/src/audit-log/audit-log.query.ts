import { AUDIT_ACTOR_KINDS, AUDIT_KINDS } from '@hopcount/contracts';
import { type AuditQuery, isAuditEntryId } from '@hopcount/identities';
import { EXPORT_FORMATS } from '@hopcount/transfer';
import { z } from 'zod';

import { inclusiveRange } from '../http/date-range.js';
import { queryBom, queryItemsPerPage, queryText } from '../http/input.js';

export const MAX_ENTRIES_PER_PAGE = 1_000;

export const listAuditLogQuery = z.strictObject({
  actorKind: z.enum(AUDIT_ACTOR_KINDS).optional().meta({ description: 'Changes by these only.' }),
  actor: queryText.meta({ description: 'Changes by the key, user or operator of this name only.' }),
  kind: z.enum(AUDIT_KINDS).optional().meta({ description: 'Changes of these only.' }),
  object: queryText.meta({
    description: 'Changes of this thing only: of a link domain/code, of others the name or id.',
  }),
  startDate: queryText.meta({ description: 'At or after: RFC 3339, or a date.' }),
  endDate: queryText.meta({ description: 'Up to and including: RFC 3339, or a date.' }),
  after: z
    .string()
    .refine(isAuditEntryId, 'not the id of an entry')
    .optional()
    .meta({ description: 'The `id` of an entry: goes on behind it.' }),
  itemsPerPage: queryItemsPerPage.meta({
    description: `Default 100; below 1: ${MAX_ENTRIES_PER_PAGE}, which is the most.`,
  }),
});

export const exportAuditLogQuery = listAuditLogQuery
  .omit({ itemsPerPage: true })
  .extend({ format: z.enum(EXPORT_FORMATS).default('csv'), bom: queryBom });

/** @throws AppError `invalid-range` */
export function toAuditQuery(
  { startDate, endDate, ...given }: Omit<z.output<typeof listAuditLogQuery>, 'itemsPerPage'>,
  timeZone: string,
): AuditQuery {
  const { actorKind = null, actor, kind = null, object, after = null } = given;
  return { actorKind, actor, kind, object, after, ...inclusiveRange({ startDate, endDate }, timeZone) };
}
