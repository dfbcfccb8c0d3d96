import { Module } from '@nestjs/common';
import { ArchiveReader } from '@hopcount/archive';
import { KafkaAdmin } from '@hopcount/kafka';
import { LinkDirectory } from '@hopcount/links';
import { Database } from '@hopcount/postgres';
import { LinkStatisticsReader, VisitsStatisticsReader } from '@hopcount/statistics';

import { ApiMetrics } from '../api.metrics.js';
import { provide } from '../provide.js';
import { LinkStatisticsController } from './link-statistics/link-statistics.controller.js';
import { VisitLogEnds } from './log-ends.js';
import { VisitsQuestions } from './visits-statistics/visits-questions.js';
import { VisitsStatisticsController } from './visits-statistics/visits-statistics.controller.js';

@Module({
  controllers: [LinkStatisticsController, VisitsStatisticsController],
  providers: [
    provide(LinkStatisticsReader, Database, ArchiveReader),
    provide(VisitsStatisticsReader, Database, ArchiveReader),
    provide(VisitLogEnds, KafkaAdmin, ApiMetrics),
    provide(LinkDirectory, Database),
    VisitsQuestions,
  ],
})
export class StatisticsModule {}
