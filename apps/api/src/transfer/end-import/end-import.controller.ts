import { Controller, Param } from '@nestjs/common';
import { type Import, importSchema } from '@hopcount/contracts';
import type { Reach } from '@hopcount/runtime';
import { ImportStore } from '@hopcount/transfer';

import { Operation } from '../../http/operation.js';
import { Reached } from '../../http/reached.js';
import { toImport } from '../to-import.js';

@Controller()
export class EndImportController {
  constructor(private readonly imports: ImportStore) {}

  @Operation('DELETE /rest/v3/imports/:id', {
    id: 'endImport',
    scope: 'links:write',
    summary: 'End an import',
    description:
      'What it has taken stays; the rest of its file is forgotten. Importing the file again takes what is missing. One that is ' +
      'done or has failed stays as it is.',
    tag: 'Import and export',
    answer: importSchema,
    problems: ['import-not-found'],
  })
  async end(@Reached() reach: Reach, @Param('id') id: string): Promise<Import> {
    const ended = await this.imports.cancel(reach, id);
    return toImport(ended, await this.imports.remarksOf(id));
  }
}
