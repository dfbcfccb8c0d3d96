import { type DynamicModule, Module } from '@nestjs/common';

import type { OrphanPipeline } from './orphan-pipeline.js';
import { ORPHAN_PIPELINE, OrphansController } from './orphans.controller.js';

/** A third small service in the consumer's process: a flood of unknown codes has partitions and a group of its own. */
@Module({})
export class OrphansModule {
  static over(pipeline: OrphanPipeline): DynamicModule {
    return {
      module: OrphansModule,
      controllers: [OrphansController],
      providers: [{ provide: ORPHAN_PIPELINE, useValue: pipeline }],
    };
  }
}
