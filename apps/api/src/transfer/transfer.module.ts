import { Module } from '@nestjs/common';
import { Database } from '@hopcount/postgres';
import { ImportStore } from '@hopcount/transfer';

import { provide } from '../provide.js';
import { CreateImportController } from './create-import/create-import.controller.js';
import { ExportLinksController } from './export-links/export-links.controller.js';
import { GetImportController } from './get-import/get-import.controller.js';

@Module({
  controllers: [ExportLinksController, CreateImportController, GetImportController],
  providers: [provide(ImportStore, Database)],
})
export class TransferModule {}
