import { type DynamicModule, Module } from '@nestjs/common';
import { APP_FILTER, APP_GUARD } from '@nestjs/core';
import { ApiKeys, LinkStore } from '@hopcount/links';
import { Database } from '@hopcount/postgres';
import { Health, Registry } from '@hopcount/runtime';

import { ApiMetrics } from './api.metrics.js';
import { ApiKeyGuard } from './http/api-key.guard.js';
import { ProblemFilter } from './http/problem.filter.js';
import { RouteTable } from './http/route-table.js';
import { CreateLinkController } from './links/create-link/create-link.controller.js';
import { GetLinkController } from './links/get-link/get-link.controller.js';
import { LinkVisits } from './links/link-visits.js';
import { PublicPlace } from './links/public-place.js';
import { ShortUrlPresenter } from './links/short-url.presenter.js';
import { HealthController } from './operations/health.controller.js';
import { OpsController } from './operations/ops.controller.js';

/** What outlives a request and is made (and closed) outside of Nest; see api-resources.ts. */
export interface ApiParts {
  database: Database;
  links: LinkStore;
  apiKeys: ApiKeys;
  health: Health;
  registry: Registry;
  metrics: ApiMetrics;
  routes: RouteTable;
  place: PublicPlace;
}

@Module({})
export class ApiModule {
  static register(parts: ApiParts): DynamicModule {
    return {
      module: ApiModule,
      controllers: [CreateLinkController, GetLinkController, HealthController, OpsController],
      providers: [
        { provide: APP_GUARD, useClass: ApiKeyGuard },
        { provide: APP_FILTER, useClass: ProblemFilter },
        LinkVisits,
        ShortUrlPresenter,
        { provide: Database, useValue: parts.database },
        { provide: LinkStore, useValue: parts.links },
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
