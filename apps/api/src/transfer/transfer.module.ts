import { Module } from '@nestjs/common';

import { ExportLinksController } from './export-links/export-links.controller.js';

@Module({ controllers: [ExportLinksController] })
export class TransferModule {}
