import { type DynamicModule, Module } from '@nestjs/common';
import { APP_FILTER, APP_GUARD } from '@nestjs/core';
import { ApiKeys, LinkEditor, LinkList, LinkStore } from '@hopcount/links';
import { Database } from '@hopcount/postgres';
import { Health, Registry } from '@hopcount/runtime';
import { OrphanPurger, VisitPurger } from '@hopcount/ledger';
import { LinkStatisticsReader, OrphanLog, VisitLog, VisitsTotals } from '@hopcount/statistics';

import { ApiMetrics } from './api.metrics.js';
import { ApiKeyGuard } from './http/api-key.guard.js';
import { ProblemFilter } from './http/problem.filter.js';
import { ReportingZone } from './http/reporting-zone.js';
import { RouteTable } from './http/route-table.js';
import { CreateLinkController } from './links/create-link/create-link.controller.js';
import { DeleteLinkController } from './links/delete-link/delete-link.controller.js';
import { EditLinkController } from './links/edit-link/edit-link.controller.js';
import { GetLinkController } from './links/get-link/get-link.controller.js';
import { ListLinksController } from './links/list-links/list-links.controller.js';
import { LinkVisits } from './links/link-visits.js';
import { PublicPlace } from './links/public-place.js';
import { ShortUrlPresenter } from './links/short-url.presenter.js';
import { DocsController } from './openapi/docs.controller.js';
import { OpenApiDocument } from './openapi/open-api-document.js';
import { HealthController } from './operations/health.controller.js';
import { OpsController } from './operations/ops.controller.js';
import { LinkStatisticsController } from './statistics/link-statistics/link-statistics.controller.js';
import { VisitLogEnds } from './statistics/log-ends.js';
import { ListOrphanVisitsController } from './visits/list-orphan-visits/list-orphan-visits.controller.js';
import { ListVisitsController } from './visits/list-visits/list-visits.controller.js';
import { PurgeOrphanVisitsController } from './visits/purge-orphan-visits/purge-orphan-visits.controller.js';
import { PurgeVisitsController } from './visits/purge-visits/purge-visits.controller.js';
import { VisitsSummaryController } from './visits/visits-summary/visits-summary.controller.js';

/** What outlives a request and is made (and closed) outside of Nest; see api-resources.ts. */
export interface ApiParts {
  database: Database;
  links: LinkStore;
  editor: LinkEditor;
  purger: VisitPurger;
  orphanPurger: OrphanPurger;
  totals: VisitsTotals;
  linkVisits: LinkVisits;
  logEnds: VisitLogEnds;
  apiKeys: ApiKeys;
  health: Health;
  registry: Registry;
  metrics: ApiMetrics;
  routes: RouteTable;
  place: PublicPlace;
  zone: ReportingZone;
}

@Module({})
export class ApiModule {
  static register(parts: ApiParts): DynamicModule {
    return {
      module: ApiModule,
      controllers: [
        CreateLinkController,
        ListLinksController,
        GetLinkController,
        EditLinkController,
        DeleteLinkController,
        ListVisitsController,
        PurgeVisitsController,
        VisitsSummaryController,
        ListOrphanVisitsController,
        PurgeOrphanVisitsController,
        LinkStatisticsController,
        HealthController,
        DocsController,
        OpsController,
      ],
      providers: [
        { provide: APP_GUARD, useClass: ApiKeyGuard },
        { provide: APP_FILTER, useClass: ProblemFilter },
        ShortUrlPresenter,
        OpenApiDocument,
        { provide: LinkVisits, useValue: parts.linkVisits },
        { provide: LinkList, useValue: new LinkList(parts.database) },
        { provide: VisitLog, useValue: new VisitLog(parts.database) },
        { provide: OrphanLog, useValue: new OrphanLog(parts.database) },
        { provide: OrphanPurger, useValue: parts.orphanPurger },
        { provide: VisitsTotals, useValue: parts.totals },
        { provide: LinkStatisticsReader, useValue: new LinkStatisticsReader(parts.database) },
        { provide: VisitLogEnds, useValue: parts.logEnds },
        { provide: ReportingZone, useValue: parts.zone },
        { provide: Database, useValue: parts.database },
        { provide: LinkStore, useValue: parts.links },
        { provide: LinkEditor, useValue: parts.editor },
        { provide: VisitPurger, useValue: parts.purger },
        { provide: ApiKeys, useValue: parts.apiKeys },
        { provide: Health, useValue: parts.health },
        { provide: Registry, useValue: parts.registry },
        { provide: ApiMetrics, useValue: parts.metrics },
        { provide: RouteTable, useValue: parts.routes },
        { provide: PublicPlace, useValue: parts.place },
      ],
    };
  }
}
