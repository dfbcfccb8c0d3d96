import { type DynamicModule, Module } from '@nestjs/common';

import { AuditsController, STORE_AUDITS } from './audits.controller.js';
import type { StoreAudits } from './store-audits.js';

/** A small Kafka service in the worker's process: reports are read whatever becomes of the visits. */
@Module({})
export class AuditsModule {
  static over(storeAudits: StoreAudits): DynamicModule {
    return {
      module: AuditsModule,
      controllers: [AuditsController],
      providers: [{ provide: STORE_AUDITS, useValue: storeAudits }],
    };
  }
}
