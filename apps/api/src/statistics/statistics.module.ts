import { Module } from '@nestjs/common';
import { ArchiveReader } from '@hopcount/archive';
import { KafkaAdmin } from '@hopcount/kafka';
import { Database } from '@hopcount/postgres';
import { LinkStatisticsReader } from '@hopcount/statistics';

import { ApiMetrics } from '../api.metrics.js';
import { provide } from '../provide.js';
import { LinkStatisticsController } from './link-statistics/link-statistics.controller.js';
import { VisitLogEnds } from './log-ends.js';

@Module({
  controllers: [LinkStatisticsController],
  providers: [provide(LinkStatisticsReader, Database, ArchiveReader), provide(VisitLogEnds, KafkaAdmin, ApiMetrics)],
})
export class StatisticsModule {}
