import { type ArgumentsHost, Catch, type ExceptionFilter, Injectable, NotFoundException } from '@nestjs/common';
import { AppError, isAppError } from '@hopcount/runtime';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { ApiMetrics } from '../api.metrics.js';
import { RouteTable } from './route-table.js';
import { sendProblem } from './send-problem.js';
import { toProblem } from './to-problem.js';

/** The one place where an error becomes an answer: RFC 9457, whatever threw it. */
@Catch()
@Injectable()
export class ProblemFilter implements ExceptionFilter {
  constructor(
    private readonly metrics: ApiMetrics,
    private readonly routes: RouteTable,
  ) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<FastifyRequest>();
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    const { code, problem } = toProblem(this.#explainNotFound(error, request, reply), request.id);
    const isHeard = !isAppError(error, 'client-gone');
    if (isHeard) this.metrics.problems.inc({ code });
    // Requests that are refused are told of by Admission, once a second.
    if (isHeard && problem.status >= 500 && !isAppError(error, 'overloaded'))
      request.log.error({ err: error, code, requestId: request.id }, 'request failed');
    if (problem.status === 503 || code === 'too-many-questions') reply.header('retry-after', '1');
    if (code === 'too-many-new-hosts' || code === 'too-many-counts') reply.header('retry-after', '3600');
    // A socket that broke while the answer was being sent cannot take another one.
    if (reply.sent || reply.raw.headersSent) return;
    sendProblem(reply, problem);
  }

  /** The router knows one "not found"; an address that answers other methods deserves a 405 that names them. */
  #explainNotFound(error: unknown, request: FastifyRequest, reply: FastifyReply): unknown {
    if (!(error instanceof NotFoundException)) return error;
    const allowed = this.routes.methodsOf(request.url);
    if (allowed.length === 0 || allowed.includes(request.method)) return error;
    reply.header('allow', allowed.join(', '));
    return new AppError('method-not-allowed', `This address answers ${allowed.join(', ')}.`);
  }
}
