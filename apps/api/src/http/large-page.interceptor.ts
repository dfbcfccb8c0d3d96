import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { from, mergeMap, type Observable } from 'rxjs';

import { LargePages } from '../limits/large-pages.js';

/** Rows. A page of 5,000 short URLs takes some 25 MB while it is made, and 5 MB until its client has it. */
const LARGE = 500;
/** Of this process. */
const PAGES = new LargePages();

export class LargePageInterceptor implements NestInterceptor {
  /** @param listsAll whether a query without `itemsPerPage` asks for all rows */
  constructor(private readonly listsAll: boolean) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const { query, asker } = context.switchToHttp().getRequest<FastifyRequest>();
    const { itemsPerPage } = query as { itemsPerPage?: number };
    const isSmall = itemsPerPage === undefined ? !this.listsAll : itemsPerPage >= 1 && itemsPerPage <= LARGE;
    if (asker === undefined || isSmall) return next.handle();
    const { raw } = context.switchToHttp().getResponse<FastifyReply>();
    return from(PAGES.enter(asker, raw)).pipe(mergeMap(() => next.handle()));
  }
}
