import { ORPHAN_TOPIC } from '@hopcount/contracts';
import { type BatchContext, KeepErrorFilter, type RecordBatch } from '@hopcount/kafka';
import { Controller, Inject, UseFilters } from '@nestjs/common';
import { Ctx, EventPattern, Payload } from '@nestjs/microservices';

import type { OrphanPipeline } from './orphan-pipeline.js';

export const ORPHAN_PIPELINE = Symbol('orphan pipeline');

/** Batches of orphan visits come in here; the answer is the partition's next offset. */
@Controller()
@UseFilters(KeepErrorFilter)
export class OrphansController {
  constructor(@Inject(ORPHAN_PIPELINE) private readonly pipeline: OrphanPipeline) {}

  @EventPattern(ORPHAN_TOPIC)
  onBatch(@Payload() batch: RecordBatch, @Ctx() context: unknown): Promise<bigint> {
    return this.pipeline(batch, context as BatchContext);
  }
}
