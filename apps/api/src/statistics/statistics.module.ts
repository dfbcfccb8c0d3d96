import { Module } from '@nestjs/common';
import { ArchiveReader } from '@hopcount/archive';
import { KafkaAdmin } from '@hopcount/kafka';
import { LinkDirectory } from '@hopcount/links';
import { Database } from '@hopcount/postgres';
import {
  ExplainedVisits,
  HotVisitsReader,
  LinkStatisticsReader,
  LiveVisits,
  VisitsMatrix,
  VisitsProof,
  VisitsStatisticsReader,
} from '@hopcount/statistics';

import { ApiMetrics } from '../api.metrics.js';
import { Settings } from '../settings.js';
import { provide } from '../provide.js';
import { HotVisitsController } from './hot-visits/hot-visits.controller.js';
import { LinkStatisticsController } from './link-statistics/link-statistics.controller.js';
import { LiveVisitsController } from './live-visits/live-visits.controller.js';
import { LiveVisitsHub } from './live-visits/live-visits-hub.js';
import { VisitLogEnds } from './log-ends.js';
import { ShareLinksController } from './share-links/share-links.controller.js';
import { VisitsEvidenceController } from './visits-evidence/visits-evidence.controller.js';
import { VisitsMatrixController } from './visits-matrix/visits-matrix.controller.js';
import { VisitsQuestions } from './visits-statistics/visits-questions.js';
import { VisitsStatisticsController } from './visits-statistics/visits-statistics.controller.js';

@Module({
  controllers: [
    LinkStatisticsController,
    VisitsStatisticsController,
    VisitsEvidenceController,
    LiveVisitsController,
    VisitsMatrixController,
    ShareLinksController,
    HotVisitsController,
  ],
  providers: [
    provide(LinkStatisticsReader, Database, ArchiveReader),
    provide(VisitsStatisticsReader, Database, ArchiveReader),
    provide(VisitsMatrix, Database, ArchiveReader),
    provide(VisitsProof, Database, ArchiveReader),
    provide(ExplainedVisits, Database, ArchiveReader),
    provide(VisitLogEnds, KafkaAdmin, ApiMetrics, Settings),
    provide(LinkDirectory, Database),
    provide(LiveVisits, Database),
    provide(HotVisitsReader, Database),
    VisitsQuestions,
    LiveVisitsHub,
  ],
  exports: [VisitsQuestions, VisitLogEnds],
})
export class StatisticsModule {}
