import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Reach } from '@hopcount/runtime';
import type { FastifyRequest } from 'fastify';

/** What the key that asks reaches; there is none on a public operation. */
export const Reached = createParamDecorator((_: unknown, context: ExecutionContext): Reach => {
  const { identity } = context.switchToHttp().getRequest<FastifyRequest>();
  if (identity === undefined) throw new Error('nobody was identified');
  return identity.reach;
});
