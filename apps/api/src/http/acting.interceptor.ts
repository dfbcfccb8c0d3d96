import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import { actingAs } from '@hopcount/runtime';
import type { FastifyRequest } from 'fastify';
import { from, lastValueFrom, type Observable } from 'rxjs';

/** What a handler changes is noted as of whom the guard found. */
export class ActingInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const { actor = null } = context.switchToHttp().getRequest<FastifyRequest>();
    return from(actingAs(actor, () => lastValueFrom(next.handle(), { defaultValue: undefined })));
  }
}
