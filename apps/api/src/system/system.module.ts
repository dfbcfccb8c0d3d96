import { ArchiveManifest } from '@hopcount/archive';
import { VerificationRequests } from '@hopcount/ledger';
import { Database } from '@hopcount/postgres';
import { Module } from '@nestjs/common';

import { provide } from '../provide.js';
import { SystemListsController } from './system-lists.controller.js';
import { SystemController } from './system.controller.js';

@Module({
  controllers: [SystemController, SystemListsController],
  providers: [provide(VerificationRequests, Database), provide(ArchiveManifest, Database)],
})
export class SystemModule {}
