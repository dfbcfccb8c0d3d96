import { AUDIT_ACTOR_KINDS, AUDIT_KINDS } from '@hopcount/contracts';
import { type AuditQuery, isAuditEntryId } from '@hopcount/identities';
import { EXPORT_FORMATS } from '@hopcount/transfer';
import { z } from 'zod';

import { inclusiveDates, inclusiveRange } from '../http/date-range.js';
import { queryBom, queryItemsPerPage, queryText } from '../http/input.js';

export const MAX_ENTRIES_PER_PAGE = 1_000;

export const listAuditLogQuery = z.strictObject({
  actorKind: z.enum(AUDIT_ACTOR_KINDS).optional().meta({ description: 'Changes by these only.' }),
  actor: queryText.meta({ description: 'Changes by the key, user or operator of this name only.' }),
  kind: z.enum(AUDIT_KINDS).optional().meta({ description: 'Changes of these only.' }),
  object: queryText.meta({
    description: 'Changes of this thing only: of a link domain/code, of others the name or id.',
  }),
  ...inclusiveDates(),
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

/** @throws AppError `invalid-range`, `invalid-time-zone` */
export function toAuditQuery(
  given: Omit<z.output<typeof listAuditLogQuery>, 'itemsPerPage'>,
  reportingTimeZone: string,
): AuditQuery {
  const { actorKind = null, actor, kind = null, object, after = null } = given;
  return { actorKind, actor, kind, object, after, ...inclusiveRange(given, reportingTimeZone) };
}
