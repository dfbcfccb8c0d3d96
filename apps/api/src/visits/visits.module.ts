import { Module } from '@nestjs/common';
import { ArchiveReader } from '@hopcount/archive';
import { LinkDirectory } from '@hopcount/links';
import { Database } from '@hopcount/postgres';
import { LinkLocks } from '@hopcount/redis';
import { OrphanVisits, VisitPurger } from '@hopcount/ledger';
import { OrphanLog, VisitLog, VisitsTotals } from '@hopcount/statistics';

import { provide } from '../provide.js';
import { Settings } from '../settings.js';
import { ListDomainVisitsController } from './list-domain-visits/list-domain-visits.controller.js';
import { ListNonOrphanVisitsController } from './list-non-orphan-visits/list-non-orphan-visits.controller.js';
import { ListOrphanVisitsController } from './list-orphan-visits/list-orphan-visits.controller.js';
import { ListTagVisitsController } from './list-tag-visits/list-tag-visits.controller.js';
import { ListVisitsController } from './list-visits/list-visits.controller.js';
import { PurgeOrphanVisitsController } from './purge-orphan-visits/purge-orphan-visits.controller.js';
import { PurgeVisitsController } from './purge-visits/purge-visits.controller.js';
import { VisitPages } from './visit-pages.js';
import { VisitsSummaryController } from './visits-summary/visits-summary.controller.js';

@Module({
  controllers: [
    ListVisitsController,
    PurgeVisitsController,
    VisitsSummaryController,
    ListTagVisitsController,
    ListDomainVisitsController,
    ListNonOrphanVisitsController,
    ListOrphanVisitsController,
    PurgeOrphanVisitsController,
  ],
  providers: [
    VisitPages,
    provide(LinkDirectory, Database),
    provide(VisitLog, Database, ArchiveReader),
    provide(OrphanLog, Database),
    provide(VisitsTotals, Database, Settings),
    provide(VisitPurger, Database, LinkLocks, Settings),
    provide(OrphanVisits, Database),
  ],
})
export class VisitsModule {}
