import { Controller, Query, Req, Res } from '@nestjs/common';
import { auditExportSchema, type AuditLogPage, auditLogSchema } from '@hopcount/contracts';
import { AuditLog } from '@hopcount/identities';
import { exportAuditLog } from '@hopcount/transfer';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';

import { FILE_TYPES } from '../http/file-types.js';
import { Operation } from '../http/operation.js';
import { pageSize } from '../http/page.js';
import { Settings } from '../settings.js';
import { RunningAuditExports } from '../transfer/running-exports.js';
import { exportAuditLogQuery, listAuditLogQuery, MAX_ENTRIES_PER_PAGE, toAuditQuery } from './audit-log.query.js';

const USUAL_PAGE = 100;

/** Who changed what. Nothing here changes it: rows are written by PostgreSQL's triggers and end by age and number. */
@Controller()
export class AuditLogController {
  constructor(
    private readonly log: AuditLog,
    private readonly settings: Settings,
    private readonly exports: RunningAuditExports,
  ) {}

  @Operation('GET /rest/v3/audit-log', {
    id: 'listAuditLog',
    scope: 'admin',
    summary: 'List who changed what',
    description:
      'Newest first. Every change by a key, a command or the system of what the administration is of (not: visits, titles that were ' +
      'looked up, the links of an import, which has rows of its own). With `after` of the last entry the next page follows, ' +
      'whatever is added meanwhile.',
    tag: 'Audit log',
    query: listAuditLogQuery,
    answer: auditLogSchema,
    problems: ['invalid-range', 'invalid-time-zone'],
  })
  async list(@Query() query: z.output<typeof listAuditLogQuery>): Promise<AuditLogPage> {
    const size = pageSize(query.itemsPerPage, USUAL_PAGE, MAX_ENTRIES_PER_PAGE);
    const limit = size === 'all' ? MAX_ENTRIES_PER_PAGE : size;
    const asked = toAuditQuery(query, this.settings.reportingTimeZone);
    const { entries: data, next } = await this.log.list(asked, limit);
    return { auditLog: { data, next } };
  }

  @Operation('GET /rest/v3/exports/audit-log', {
    id: 'exportAuditLog',
    scope: 'admin',
    summary: 'Export who changed what',
    description:
      'Oldest first, up to a second ago, or to when the oldest transaction under way began, if that is earlier: what comes later is in ' +
      'the next export, so `after` of the last entry goes on without leaving one out. An answer that breaks off ends without the last chunk.',
    tag: 'Audit log',
    query: exportAuditLogQuery,
    answer: auditExportSchema,
    contentType: [FILE_TYPES.csv, FILE_TYPES.jsonl],
    problems: ['invalid-range', 'invalid-time-zone'],
  })
  async export(
    @Query() { format, bom, ...query }: z.output<typeof exportAuditLogQuery>,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const asked = toAuditQuery(query, this.settings.reportingTimeZone);
    await this.exports.send({ request, reply }, { name: 'audit-log', format }, () =>
      exportAuditLog(this.log.read(asked), { format, bom }),
    );
  }
}
