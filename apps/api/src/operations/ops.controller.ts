import { Controller, Req, Res } from '@nestjs/common';
import { problemSchema } from '@hopcount/contracts';
import { AppError, answerOpsRequest, Health, Registry } from '@hopcount/runtime';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { Operation, type OperationDescription } from '../http/operation.js';

const FORWARDING_HEADERS = ['x-forwarded-for', 'x-real-ip', 'forwarded', 'via', 'cf-connecting-ip', 'true-client-ip'];

function page(id: string): OperationDescription {
  return { id, scope: 'public', tag: 'Operations', summary: `The page ${id}`, answer: problemSchema, isHidden: true };
}

/** The three pages every process of Hopcount has. */
@Controller()
export class OpsController {
  constructor(
    private readonly health: Health,
    private readonly registry: Registry,
  ) {}

  @Operation('GET /livez', page('live'))
  live(@Res() reply: FastifyReply): Promise<void> {
    return this.#answer('/livez', reply);
  }

  @Operation('GET /readyz', page('ready'))
  ready(@Res() reply: FastifyReply): Promise<void> {
    return this.#answer('/readyz', reply);
  }

  /** For a scraper on this machine only: whatever came through a proxy did not start here. */
  @Operation('GET /metrics', page('metrics'))
  metrics(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const isLocal = isLoopbackAddress(request.socket.remoteAddress ?? '');
    if (!isLocal || FORWARDING_HEADERS.some((name) => request.headers[name] !== undefined)) {
      throw new AppError('not-found', 'Nothing is served at this address.');
    }
    return this.#answer('/metrics', reply);
  }

  async #answer(path: string, reply: FastifyReply): Promise<void> {
    const answer = await answerOpsRequest(path, { health: this.health, metrics: this.registry });
    if (answer === undefined) throw new AppError('not-found', 'Nothing is served at this address.');
    reply.code(answer.status).header('content-type', answer.contentType).header('cache-control', 'no-store');
    reply.send(answer.body);
  }
}

function isLoopbackAddress(address: string): boolean {
  return address === '::1' || /^(::ffff:)?127\./.test(address);
}
