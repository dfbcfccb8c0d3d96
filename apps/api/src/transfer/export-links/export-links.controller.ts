import { Controller, Query, Req, Res } from '@nestjs/common';
import { linkExportSchema } from '@hopcount/contracts';
import { Database } from '@hopcount/postgres';
import type { Reach } from '@hopcount/runtime';
import { EXPORT_DEADLINE_MS, exportLinks } from '@hopcount/transfer';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { FILE_TYPES } from '../../http/file-types.js';
import { Operation } from '../../http/operation.js';
import { Reached } from '../../http/reached.js';
import { Settings } from '../../settings.js';
import { RunningExports } from '../running-exports.js';
import { type ExportLinksQuery, exportLinksQuery } from './export-links.query.js';

@Controller()
export class ExportLinksController {
  constructor(
    private readonly database: Database,
    private readonly settings: Settings,
    private readonly exports: RunningExports,
  ) {}

  @Operation('GET /rest/v3/exports/links', {
    id: 'exportShortUrls',
    scope: 'links:read',
    summary: 'Export all short URLs',
    description:
      'All that are not deleted, with tags, rules and all-time visits, as of one moment, sent as fast as they are read. ' +
      'An answer that breaks off is not whole: its connection ends without the last chunk. Who takes nothing for a minute, ' +
      `or has not all of it after ${EXPORT_DEADLINE_MS / 60_000} minutes, is closed; \`hopcount export links\` may take longer.`,
    tag: 'Import and export',
    query: exportLinksQuery,
    answer: linkExportSchema,
    contentType: [FILE_TYPES.csv, FILE_TYPES.jsonl],
  })
  async export(
    @Reached() reach: Reach,
    @Query() { format, bom }: ExportLinksQuery,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const totals = this.settings.hasSlots ? 'slots' : 'traffic';
    const { publicScheme } = this.settings;
    await this.exports.send({ request, reply }, { name: 'links', format }, () =>
      exportLinks(reach, this.database, { format, bom, totals, publicScheme }),
    );
  }
}
