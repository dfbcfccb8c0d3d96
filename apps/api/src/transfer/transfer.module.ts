import { Module } from '@nestjs/common';
import { ArchiveReader } from '@hopcount/archive';
import { AuditLog } from '@hopcount/identities';
import { Database } from '@hopcount/postgres';
import { VisitSequence } from '@hopcount/statistics';
import { ImportStore } from '@hopcount/transfer';

import { AuditLogController } from '../audit-log/audit-log.controller.js';
import { provide } from '../provide.js';
import { CreateImportController } from './create-import/create-import.controller.js';
import { EndImportController } from './end-import/end-import.controller.js';
import { ExportLinksController } from './export-links/export-links.controller.js';
import { ExportVisitsController } from './export-visits/export-visits.controller.js';
import { GetImportController } from './get-import/get-import.controller.js';
import { GetImportReportController } from './get-import-report/get-import-report.controller.js';
import { RunningAuditExports, RunningExports } from './running-exports.js';

@Module({
  controllers: [
    ...[ExportLinksController, ExportVisitsController, AuditLogController],
    ...[CreateImportController, GetImportController, GetImportReportController, EndImportController],
  ],
  providers: [
    ...[provide(ImportStore, Database), provide(AuditLog, Database)],
    ...[provide(VisitSequence, Database, ArchiveReader), RunningExports, RunningAuditExports],
  ],
})
export class TransferModule {}
