import { ArchiveManifest } from '@hopcount/archive';
import {
  type ArchiveFileList,
  archiveFilesSchema,
  type AuditMinuteList,
  auditMinutesSchema,
} from '@hopcount/contracts';
import { Database, loadSql } from '@hopcount/postgres';
import { Controller, Query } from '@nestjs/common';
import type { z } from 'zod';

import { Operation } from '../http/operation.js';
import { invalid } from './places.js';
import {
  fromRowCursor,
  limitOf,
  listFilesQuery,
  listMinutesQuery,
  MAX_ROWS_PER_PAGE,
  toRowCursor,
} from './system.query.js';

const READ_MINUTES = loadSql(import.meta.url, 'sql/read-audit-minutes.sql');
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

type Minute = AuditMinuteList['auditMinutes']['data'][number];

@Controller()
export class SystemListsController {
  constructor(
    private readonly database: Database,
    private readonly manifest: ArchiveManifest,
  ) {}

  @Operation('GET /rest/v3/system/audit-minutes', {
    id: 'listAuditMinutes',
    scope: 'admin',
    summary: 'List minutes of gateways, held against what was counted',
    description: 'The newest first; kept as long as the ledger.',
    tag: 'Operations',
    query: listMinutesQuery,
    answer: auditMinutesSchema,
  })
  async listMinutes(@Query() query: z.output<typeof listMinutesQuery>): Promise<AuditMinuteList> {
    const limit = limitOf(query.itemsPerPage, MAX_ROWS_PER_PAGE);
    const after = query.after === null ? null : fromRowCursor(query.after);
    const values = [after && new Date(after.at).toISOString(), after?.name ?? null, query.all, limit + 1];
    const rows = await this.database.query<Omit<Minute, 'minute'> & { minute: Date }>(READ_MINUTES, values);
    const data = rows.slice(0, limit);
    const last = data.at(-1);
    return {
      auditMinutes: {
        data: data.map(({ minute, ...row }) => ({ ...row, minute: minute.toISOString() })),
        next: rows.length > limit && last !== undefined ? toRowCursor(last.minute, last.source) : null,
      },
    };
  }

  @Operation('GET /rest/v3/system/archive-files', {
    id: 'listArchiveFiles',
    scope: 'admin',
    summary: 'List files of the archive',
    description: 'Those on disk, the newest period first. Only active ones are read.',
    tag: 'Operations',
    query: listFilesQuery,
    answer: archiveFilesSchema,
  })
  async listFiles(@Query() query: z.output<typeof listFilesQuery>): Promise<ArchiveFileList> {
    const limit = limitOf(query.itemsPerPage, MAX_ROWS_PER_PAGE);
    const after = query.after === null ? null : fromRowCursor(query.after);
    if (after !== null && !UUID.test(after.name)) throw invalid('after', 'It is no `next` of a page.');
    const files = await this.manifest.page(after && { from: after.at, id: after.name }, limit + 1);
    const data = files.slice(0, limit);
    const last = data.at(-1);
    return {
      archiveFiles: {
        data: data.map(({ id, level, period, visits, bytes, state, sealedAt }) => ({
          ...{ id, level, visits, bytes, state },
          from: new Date(period.from).toISOString(),
          to: new Date(period.to).toISOString(),
          sealedAt: new Date(sealedAt).toISOString(),
        })),
        next: files.length > limit && last !== undefined ? toRowCursor(last.period.from, last.id) : null,
      },
    };
  }
}
