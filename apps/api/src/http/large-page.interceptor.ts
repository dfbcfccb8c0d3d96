import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { from, mergeMap, type Observable } from 'rxjs';

import { LargePages } from '../limits/large-pages.js';

/** Rows. A page of 5,000 short URLs takes some 25 MB while it is made, and 5 MB until its client has it. */
const LARGE = 500;
/** Hours of a year are 8,800 rows. */
const SHORT_INTERVALS = ['15min', 'hour'];
const FILES = /csv|ndjson|parquet/;
/** Of this process. */
const PAGES = new LargePages();

export class LargePageInterceptor implements NestInterceptor {
  /** @param listsAll whether a query without `itemsPerPage` asks for all rows */
  constructor(private readonly listsAll: boolean) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    if (request.asker === undefined || !this.#isLarge(request)) return next.handle();
    const { raw } = context.switchToHttp().getResponse<FastifyReply>();
    return from(PAGES.enter(request.asker, raw)).pipe(mergeMap(() => next.handle()));
  }

  /** What may be: how many rows there are is not known yet. */
  #isLarge({ query, headers: { accept = '' } }: FastifyRequest): boolean {
    const {
      itemsPerPage,
      interval = '',
      format,
    } = query as { itemsPerPage?: number; interval?: string; format?: string };
    if (itemsPerPage !== undefined) return itemsPerPage < 1 || itemsPerPage > LARGE;
    return this.listsAll || SHORT_INTERVALS.includes(interval) || FILES.test(format ?? accept);
  }
}
