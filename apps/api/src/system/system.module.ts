import { ArchiveManifest } from '@hopcount/archive';
import { OperatorJobs, VerificationRequests } from '@hopcount/ledger';
import { Database } from '@hopcount/postgres';
import { Module } from '@nestjs/common';

import { JobsController } from '../jobs/jobs.controller.js';
import { provide } from '../provide.js';
import { SystemListsController } from './system-lists.controller.js';
import { SystemController } from './system.controller.js';

@Module({
  controllers: [SystemController, SystemListsController, JobsController],
  providers: [
    provide(VerificationRequests, Database),
    provide(OperatorJobs, Database),
    provide(ArchiveManifest, Database),
  ],
})
export class SystemModule {}
