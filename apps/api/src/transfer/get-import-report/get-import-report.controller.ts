import { Controller, Param, Req, Res } from '@nestjs/common';
import { importReportSchema } from '@hopcount/contracts';
import type { Reach } from '@hopcount/runtime';
import { ImportStore, reportImport } from '@hopcount/transfer';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { FILE_TYPES } from '../../http/file-types.js';
import { Operation } from '../../http/operation.js';
import { Reached } from '../../http/reached.js';
import { RunningExports } from '../running-exports.js';

@Controller()
export class GetImportReportController {
  constructor(
    private readonly imports: ImportStore,
    private readonly exports: RunningExports,
  ) {}

  @Operation('GET /rest/v3/imports/:id/report', {
    id: 'getImportReport',
    scope: 'links:read',
    summary: 'What an import refused or left out, row by row, as CSV',
    description:
      'Up to the current row while the import runs. Holds the first 100,000 remarks, until 90 days after the end.',
    tag: 'Import and export',
    answer: importReportSchema,
    contentType: FILE_TYPES.csv,
    problems: ['import-not-found'],
  })
  async report(
    @Reached() reach: Reach,
    @Param('id') id: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const found = await this.imports.get(reach, id);
    await this.exports.send({ request, reply }, { name: `import-${found.id}`, format: 'csv' }, () =>
      reportImport(this.imports, found.id),
    );
  }
}
