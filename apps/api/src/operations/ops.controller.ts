import { Controller, Res } from '@nestjs/common';
import { problemSchema } from '@hopcount/contracts';
import { answerHealth, Health } from '@hopcount/runtime';
import type { FastifyReply } from 'fastify';

import { Operation, type OperationDescription } from '../http/operation.js';

function page(id: string): OperationDescription {
  return {
    id,
    scope: 'public',
    tag: 'Operations',
    summary: `The page ${id}`,
    answer: problemSchema,
    isHidden: true,
  };
}

/** For load balancers; why a check fails is said at the operations port. */
@Controller()
export class OpsController {
  constructor(private readonly health: Health) {}

  @Operation('GET /livez', page('live'))
  live(@Res() reply: FastifyReply): Promise<void> {
    return this.#answer('/livez', reply);
  }

  @Operation('GET /readyz', page('ready'))
  ready(@Res() reply: FastifyReply): Promise<void> {
    return this.#answer('/readyz', reply);
  }

  async #answer(path: '/livez' | '/readyz', reply: FastifyReply): Promise<void> {
    const answer = await answerHealth(path, this.health);
    reply.code(answer.status).header('content-type', answer.contentType).header('cache-control', 'no-store');
    reply.send(answer.body);
  }
}
