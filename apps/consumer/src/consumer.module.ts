import { type DynamicModule, Module } from '@nestjs/common';

import { type VisitPipeline } from './visit-pipeline.js';
import { VISIT_PIPELINE, VisitsController } from './visits.controller.js';

/** The Nest side of the consumer: one controller over the pipeline; everything below is plain code. */
@Module({})
export class ConsumerModule {
  static over(pipeline: VisitPipeline): DynamicModule {
    return {
      module: ConsumerModule,
      controllers: [VisitsController],
      providers: [{ provide: VISIT_PIPELINE, useValue: pipeline }],
    };
  }
}
