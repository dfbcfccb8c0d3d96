import { AUDIT_TOPIC } from '@hopcount/contracts';
import { KeepErrorFilter, type RecordBatch } from '@hopcount/kafka';
import { Controller, Inject, UseFilters } from '@nestjs/common';
import { EventPattern, Payload } from '@nestjs/microservices';

import type { StoreAudits } from './store-audits.js';

export const STORE_AUDITS = Symbol('store audits');

/** Batches of gateways' audit records come in here; the answer is the partition's next offset. */
@Controller()
@UseFilters(KeepErrorFilter)
export class AuditsController {
  constructor(@Inject(STORE_AUDITS) private readonly storeAudits: StoreAudits) {}

  @EventPattern(AUDIT_TOPIC)
  onBatch(@Payload() batch: RecordBatch): Promise<bigint> {
    return this.storeAudits.onBatch(batch);
  }
}
