import type { Problem } from '@hopcount/contracts';
import type { FastifyReply } from 'fastify';

/** As bytes: Fastify would add a charset, which this media type does not have. */
export function sendProblem(reply: FastifyReply, problem: Problem): void {
  reply.code(problem.status).header('content-type', 'application/problem+json').header('cache-control', 'no-store');
  void reply.header('x-request-id', problem.instance).send(Buffer.from(JSON.stringify(problem)));
}
