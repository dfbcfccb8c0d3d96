import 'reflect-metadata';

import { Controller, Module, type Type, UseFilters } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Ctx, EventPattern, Payload } from '@nestjs/microservices';

import type { RecordBatch } from '../records.js';
import type { BatchContext } from './batch-context.js';
import { type KafkaBatchOptions, KafkaBatchStrategy } from './kafka-batch-strategy.js';
import { KeepErrorFilter } from './keep-error.filter.js';

/** Resolves with the partition's next offset; a batch it fails is read again. */
export type HandleBatch = (batch: RecordBatch, context: BatchContext) => Promise<bigint>;

export interface BatchService extends Pick<KafkaBatchStrategy, 'groupStatus'> {
  /** Lets running batches finish or give up, leaves the group. */
  close(): Promise<void>;
}

/** A Nest microservice over one topic, whose one controller gives each batch to `handle`. */
export async function startBatchService(options: KafkaBatchOptions, handle: HandleBatch): Promise<BatchService> {
  const strategy = new KafkaBatchStrategy(options);
  const app = await NestFactory.createMicroservice(moduleOver(options.topic, handle), { strategy, logger: false });
  await app.listen();
  return { groupStatus: () => strategy.groupStatus(), close: () => app.close() };
}

function moduleOver(topic: string, handle: HandleBatch): Type {
  @Controller()
  @UseFilters(KeepErrorFilter)
  class BatchController {
    @EventPattern(topic)
    onBatch(@Payload() batch: unknown, @Ctx() context: unknown): Promise<bigint> {
      // Nest knows neither; the strategy made both.
      return handle(batch as RecordBatch, context as BatchContext);
    }
  }
  @Module({ controllers: [BatchController] })
  class BatchModule {}
  return BatchModule;
}
