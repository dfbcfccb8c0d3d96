import { Readable } from 'node:stream';

import { Controller, Query, Req } from '@nestjs/common';
import { type Import, importSchema } from '@hopcount/contracts';
import { AppError, type Reach } from '@hopcount/runtime';
import { ImportStore } from '@hopcount/transfer';
import type { FastifyRequest } from 'fastify';

import { Operation } from '../../http/operation.js';
import { Reached } from '../../http/reached.js';
import { toImport } from '../to-import.js';
import { type CreateImportQuery, createImportQuery } from './create-import.query.js';

const TYPES = [
  'text/csv',
  'application/x-ndjson',
  'application/gzip',
  'application/x-gzip',
  'application/octet-stream',
];
const MAX_BYTES = 32 * 1_024 * 1_024;
/** So many files of that size are in PostgreSQL at most, beside those of commands. */
const MOST_OPEN = { ofAll: 20, ofOne: 5 };

@Controller()
export class CreateImportController {
  constructor(private readonly imports: ImportStore) {}

  @Operation('POST /rest/v3/imports', {
    id: 'importShortUrls',
    scope: 'links:write',
    summary: 'Import short URLs, and their visits, from a file',
    description:
      'CSV with a header, JSON Lines, or a JSON document as the APIs of Shlink, Kutt, YOURLS and Bitly answer it, also compressed with gzip; ' +
      'at most 32 MB unpacked and ' +
      '30 seconds (`hopcount import` takes more). CSV may be in any character set that `Content-Type` names; without one a byte order ' +
      'mark, UTF-16 and UTF-8 are recognised, and any other text is read as Windows-1252. JSON is UTF-8. ' +
      'A worker takes the rows; how far it is: `GET /rest/v3/imports/{id}`. Each row is created, updated, unchanged or refused, ' +
      'never changed to fit; a file of which no row can be taken fails. ' +
      'Importing again adds only what is not there yet. A record with a date and no long URL is a visit, of the link that was ' +
      'imported with its `shortCode` and `domain` under the same name; our own exports of visits are such. ' +
      'They count as others do, marked with that name, and use no limit. The totals of a source are no visits. ' +
      `At most ${MOST_OPEN.ofAll} imports are uploaded, wait or run at a time, ${MOST_OPEN.ofOne} of an API key (and of all users together).`,
    tag: 'Import and export',
    query: createImportQuery,
    takesFile: TYPES,
    answer: importSchema,
    problems: ['beyond-role', 'too-many-imports', 'unreadable-file'],
  })
  async create(
    @Reached() reach: Reach,
    @Query() query: CreateImportQuery,
    @Req() request: FastifyRequest,
  ): Promise<Import> {
    const { source, name, domain, update } = query;
    const { body, headers } = request;
    if (!(body instanceof Readable))
      throw new AppError('unsupported-media-type', `Send the file as ${TYPES.join(', ')}.`);
    try {
      // Destroyed, the stream would take the connection with it, and with that the answer.
      const file = whole(body.iterator({ destroyOnReturn: false }), request.expectSameReach);
      const charset = charsetOf(headers['content-type'] ?? '');
      const given = { source, name: name ?? source, domain, charset, changesLinks: update };
      return toImport(await this.imports.upload(reach, given, file, MAX_BYTES, MOST_OPEN), []);
    } finally {
      body.resume();
    }
  }
}

/** No worker takes a file whose key was revoked, or whose user's role was narrowed, while it was sent. */
async function* whole(chunks: AsyncIterable<Buffer>, expectSameReach?: () => Promise<void>): AsyncGenerator<Buffer> {
  yield* chunks;
  await expectSameReach?.();
}

/** As `text/csv; charset="utf-8"` has it. */
function charsetOf(contentType: string): string | null {
  return /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(contentType)?.[1] ?? null;
}
