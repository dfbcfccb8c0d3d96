import { VISITS_TOPIC } from '@hopcount/contracts';
import { type BatchContext, KeepErrorFilter, type RecordBatch } from '@hopcount/kafka';
import { Controller, Inject, UseFilters } from '@nestjs/common';
import { Ctx, EventPattern, Payload } from '@nestjs/microservices';

import type { VisitPipeline } from './visit-pipeline.js';

export const VISIT_PIPELINE = Symbol('visit pipeline');

/** Batches of visits come in here; the answer is the partition's next offset. */
@Controller()
@UseFilters(KeepErrorFilter)
export class VisitsController {
  constructor(@Inject(VISIT_PIPELINE) private readonly pipeline: VisitPipeline) {}

  @EventPattern(VISITS_TOPIC)
  onBatch(@Payload() batch: RecordBatch, @Ctx() context: unknown): Promise<bigint> {
    // Nest types a handler by its payload alone; the strategy made this context.
    return this.pipeline(batch, context as BatchContext);
  }
}
