import { Module } from '@nestjs/common';
import { ArchiveReader } from '@hopcount/archive';
import { Database } from '@hopcount/postgres';
import { LinkLocks } from '@hopcount/redis';
import { OrphanVisits, VisitPurger } from '@hopcount/ledger';
import { OrphanLog, VisitLog, VisitsTotals } from '@hopcount/statistics';

import { provide } from '../provide.js';
import { Settings } from '../settings.js';
import { ListOrphanVisitsController } from './list-orphan-visits/list-orphan-visits.controller.js';
import { ListVisitsController } from './list-visits/list-visits.controller.js';
import { PurgeOrphanVisitsController } from './purge-orphan-visits/purge-orphan-visits.controller.js';
import { PurgeVisitsController } from './purge-visits/purge-visits.controller.js';
import { VisitsSummaryController } from './visits-summary/visits-summary.controller.js';

@Module({
  controllers: [
    ListVisitsController,
    PurgeVisitsController,
    VisitsSummaryController,
    ListOrphanVisitsController,
    PurgeOrphanVisitsController,
  ],
  providers: [
    provide(VisitLog, Database, ArchiveReader),
    provide(OrphanLog, Database),
    provide(VisitsTotals, Database, Settings),
    provide(VisitPurger, Database, LinkLocks, Settings),
    provide(OrphanVisits, Database),
  ],
})
export class VisitsModule {}
