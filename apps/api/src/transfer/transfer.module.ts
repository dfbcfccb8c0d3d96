import { Module } from '@nestjs/common';
import { ArchiveReader } from '@hopcount/archive';
import { Database } from '@hopcount/postgres';
import { VisitSequence } from '@hopcount/statistics';
import { ImportStore } from '@hopcount/transfer';

import { provide } from '../provide.js';
import { CreateImportController } from './create-import/create-import.controller.js';
import { EndImportController } from './end-import/end-import.controller.js';
import { ExportLinksController } from './export-links/export-links.controller.js';
import { ExportVisitsController } from './export-visits/export-visits.controller.js';
import { GetImportController } from './get-import/get-import.controller.js';
import { RunningExports } from './running-exports.js';

@Module({
  controllers: [
    ...[ExportLinksController, ExportVisitsController],
    ...[CreateImportController, GetImportController, EndImportController],
  ],
  providers: [provide(ImportStore, Database), provide(VisitSequence, Database, ArchiveReader), RunningExports],
})
export class TransferModule {}
