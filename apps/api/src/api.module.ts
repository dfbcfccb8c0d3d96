import { type DynamicModule, Global, Module } from '@nestjs/common';
import { APP_FILTER, APP_GUARD } from '@nestjs/core';

import { AlertsModule } from './alerts/alerts.module.js';
import { ApiKeysModule } from './api-keys/api-keys.module.js';
import type { ApiResources } from './api-resources.js';
import { BlocksModule } from './blocks/blocks.module.js';
import { OperationGuard } from './http/operation.guard.js';
import { ProblemFilter } from './http/problem.filter.js';
import { HostsModule } from './hosts/hosts.module.js';
import { LinksModule } from './links/links.module.js';
import { LiveModule } from './live/live.module.js';
import { OperationsModule } from './operations/operations.module.js';
import { OrganiseModule } from './organise/organise.module.js';
import { StatisticsModule } from './statistics/statistics.module.js';
import { SystemModule } from './system/system.module.js';
import { TransferModule } from './transfer/transfer.module.js';
import { UsersModule } from './users/users.module.js';
import { VisitsModule } from './visits/visits.module.js';
import { WebhooksModule } from './webhooks/webhooks.module.js';

/** The features, over what was opened for all of them (see api-resources.ts). */
@Global()
@Module({
  imports: [
    ...[LinksModule, OrganiseModule, VisitsModule, LiveModule, StatisticsModule, HostsModule, TransferModule],
    ...[BlocksModule, WebhooksModule, AlertsModule, ApiKeysModule, UsersModule, OperationsModule, SystemModule],
  ],
  providers: [
    { provide: APP_GUARD, useClass: OperationGuard },
    { provide: APP_FILTER, useClass: ProblemFilter },
  ],
})
export class ApiModule {
  static register(resources: ApiResources): DynamicModule {
    const providers = Object.values(resources)
      .filter((resource) => typeof resource === 'object')
      .map((resource) => ({ provide: resource.constructor, useValue: resource }));
    return { module: ApiModule, providers, exports: providers };
  }
}
