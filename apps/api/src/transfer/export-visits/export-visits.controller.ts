import type { Readable } from 'node:stream';

import { Controller, Query, Req, Res } from '@nestjs/common';
import { type ParquetColumn, ParquetFiles } from '@hopcount/archive';
import { visitExportSchema } from '@hopcount/contracts';
import { LinkStore } from '@hopcount/links';
import { Database } from '@hopcount/postgres';
import type { Reach } from '@hopcount/runtime';
import { VisitSequence } from '@hopcount/statistics';
import {
  EXPORT_DEADLINE_MS,
  exportVisitCells,
  exportVisits,
  VISIT_EXPORT_COLUMNS,
  watchReader,
} from '@hopcount/transfer';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { inclusiveRange } from '../../http/date-range.js';
import { FILE_TYPES } from '../../http/file-types.js';
import { Operation } from '../../http/operation.js';
import { Reached } from '../../http/reached.js';
import { Settings } from '../../settings.js';
import { LIST_PROBLEMS } from '../../visits/list-visits/list-visits.query.js';
import { RunningExports } from '../running-exports.js';
import { type ExportVisitsQuery, exportVisitsQuery } from './export-visits.query.js';

@Controller()
export class ExportVisitsController {
  constructor(
    private readonly database: Database,
    private readonly links: LinkStore,
    private readonly sequence: VisitSequence,
    private readonly settings: Settings,
    private readonly exports: RunningExports,
    private readonly parquet: ParquetFiles,
  ) {}

  @Operation('GET /rest/v3/exports/visits', {
    id: 'exportVisits',
    scope: 'statistics:read',
    summary: 'Export the visits of a short URL, or of all',
    description:
      'Oldest first (in the order of their ids), up to now, each once, also of months that only the archive has; of all: those of ' +
      'deleted short URLs, too. An answer that breaks off ends without the last chunk; `after` goes on behind the last visit that came. Who takes ' +
      `nothing for a minute, or has not all of it after ${EXPORT_DEADLINE_MS / 60_000} minutes, is closed.`,
    tag: 'Import and export',
    query: exportVisitsQuery,
    answer: visitExportSchema,
    contentType: Object.values(FILE_TYPES),
    problems: ['short-url-not-found', 'archive-export-too-large', ...LIST_PROBLEMS],
  })
  async export(
    @Reached() reach: Reach,
    @Query() query: ExportVisitsQuery,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { format, bom, ...asked } = query;
    const { shortCode, domain, excludeBots, after } = asked;
    const { from, to = Infinity } = inclusiveRange(query, this.settings.reportingTimeZone);
    const linkId = shortCode === null ? undefined : (await this.links.get(reach, shortCode, domain)).id;
    const { publicScheme } = this.settings;
    const name = shortCode === null ? 'visits' : 'visits-of-a-link';
    await this.exports.send({ request, reply }, { name, format }, (stop) => {
      const range = { from, to: Math.min(to, Date.now()) };
      const visits = this.sequence.read({ reach, ...range, linkId, excludeBots, after });
      if (format !== 'parquet') return exportVisits(this.database, visits, { format, bom, publicScheme });
      const rows = exportVisitCells(this.database, visits, { publicScheme });
      return this.#asParquet(rows, asked, stop);
    });
  }

  async #asParquet(rows: ReturnType<typeof exportVisitCells>, about: object, stop: AbortSignal): Promise<Readable> {
    const file = await this.parquet.open({ columns: COLUMNS, rows, about }, stop);
    watchReader(file, () => file.bytesRead - file.readableLength, { deadlineMs: EXPORT_DEADLINE_MS });
    return file;
  }
}

const TYPES: Partial<Record<(typeof VISIT_EXPORT_COLUMNS)[number], ParquetColumn['type']>> = {
  date: 'TIMESTAMPTZ',
  latitude: 'DOUBLE',
  longitude: 'DOUBLE',
};
const COLUMNS: readonly ParquetColumn[] = VISIT_EXPORT_COLUMNS.map((name) => ({
  name,
  type: TYPES[name] ?? 'VARCHAR',
}));
