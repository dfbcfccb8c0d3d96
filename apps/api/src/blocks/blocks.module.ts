import { Module } from '@nestjs/common';
import { AbuseReports, BlockStore } from '@hopcount/links';
import { Database } from '@hopcount/postgres';

import { provide } from '../provide.js';
import { AbuseReportsController } from './abuse-reports.controller.js';
import { BlocksController } from './blocks.controller.js';

@Module({
  controllers: [BlocksController, AbuseReportsController],
  providers: [provide(BlockStore, Database), provide(AbuseReports, Database)],
})
export class BlocksModule {}
