import { once } from 'node:events';

import { Controller, Query, Req, Res } from '@nestjs/common';
import { linkExportSchema } from '@hopcount/contracts';
import { Database } from '@hopcount/postgres';
import { AppError } from '@hopcount/runtime';
import { EXPORT_DEADLINE_MS, exportLinks } from '@hopcount/transfer';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { API_ERRORS } from '../../api.errors.js';
import { Operation } from '../../http/operation.js';
import { Settings } from '../../settings.js';
import { type ExportLinksQuery, exportLinksQuery } from './export-links.query.js';

const CONTENT_TYPES = { csv: 'text/csv; charset=utf-8', jsonl: 'application/x-ndjson' };
/** Each holds a connection and a snapshot for as long as its client takes. */
const MOST_AT_ONCE = 2;

@Controller()
export class ExportLinksController {
  #running = 0;

  constructor(
    private readonly database: Database,
    private readonly settings: Settings,
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
    contentType: ['text/csv', 'application/x-ndjson'],
  })
  async export(
    @Query() { format }: ExportLinksQuery,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    if (request.method === 'HEAD') return void reply.header('content-type', CONTENT_TYPES[format]).send();
    if (this.#running >= MOST_AT_ONCE) {
      throw new AppError('too-many-exports', API_ERRORS['too-many-exports'], { retryable: true });
    }
    this.#running += 1;
    const totals = this.settings.hasSlots ? 'slots' : 'traffic';
    const links = exportLinks(this.database, { format, totals, publicScheme: this.settings.publicScheme });
    links.once('close', () => (this.#running -= 1));
    reply.raw.once('close', () => links.destroy());
    // What fails before the first line is a problem like any other; a client may leave before it.
    await Promise.race([once(links, 'readable'), once(links, 'close')]);
    if (links.destroyed) return;
    void reply
      .header('content-type', CONTENT_TYPES[format])
      .header('cache-control', 'no-store')
      .header('content-disposition', `attachment; filename="links.${format}"`);
    return void reply.send(links);
  }
}
