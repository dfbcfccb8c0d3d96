import { Catch, type RpcExceptionFilter } from '@nestjs/common';
import { type Observable, throwError } from 'rxjs';

/**
 * Nest replaces unknown errors of a message handler by "Internal server error"; the strategy needs
 * the error itself. For `@UseFilters` on a batch controller.
 */
@Catch()
export class KeepErrorFilter implements RpcExceptionFilter {
  catch(error: unknown): Observable<never> {
    return throwError(() => error);
  }
}
