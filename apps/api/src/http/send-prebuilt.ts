import type { PrebuiltBody } from '@hopcount/runtime';
import type { FastifyReply, FastifyRequest } from 'fastify';

export async function sendPrebuilt(
  built: PrebuiltBody,
  { headers: asked }: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { status, headers, body } = await built.answer(asked);
  return reply.code(status).headers(headers).send(body);
}
