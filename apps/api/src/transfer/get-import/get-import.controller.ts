import { Controller, Param } from '@nestjs/common';
import { type Import, importSchema } from '@hopcount/contracts';
import type { Reach } from '@hopcount/runtime';
import { ImportStore } from '@hopcount/transfer';

import { Operation } from '../../http/operation.js';
import { Reached } from '../../http/reached.js';
import { toImport } from '../to-import.js';

@Controller()
export class GetImportController {
  constructor(private readonly imports: ImportStore) {}

  @Operation('GET /rest/v3/imports/:id', {
    id: 'getImport',
    scope: 'links:read',
    summary: 'How far an import is, and what it left out',
    tag: 'Import and export',
    answer: importSchema,
    problems: ['import-not-found'],
  })
  async get(@Reached() reach: Reach, @Param('id') id: string): Promise<Import> {
    const found = await this.imports.get(reach, id);
    return toImport(found, await this.imports.remarksOf(id));
  }
}
