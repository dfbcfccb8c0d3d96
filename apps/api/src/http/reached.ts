import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Reach } from '@hopcount/runtime';
import type { FastifyRequest } from 'fastify';

/** What who asks reaches, where the operation asks for a scope. */
export const Reached = createParamDecorator((_: unknown, context: ExecutionContext): Reach => {
  const { reach } = context.switchToHttp().getRequest<FastifyRequest>();
  if (reach === undefined) throw new Error('nobody was identified');
  return reach;
});
