import { type DynamicModule, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';

import type { GatewayResources } from './gateway-resources.js';

const RESOURCES = Symbol('GatewayResources');

/** Nest holds the life cycle: when the application closes (listener first), visits are flushed and all is closed. */
@Module({})
export class GatewayModule implements OnApplicationShutdown {
  constructor(@Inject(RESOURCES) private readonly resources: GatewayResources) {}

  static register(resources: GatewayResources): DynamicModule {
    return { module: GatewayModule, providers: [{ provide: RESOURCES, useValue: resources }] };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.resources.close();
  }
}
