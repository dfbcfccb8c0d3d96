import type { FastifyReply } from 'fastify';

/** Aborted once the client has left, be it before this is asked for: then nobody hears the response close any more. */
export function clientGone({ raw }: Pick<FastifyReply, 'raw'>): AbortSignal {
  const gone = new AbortController();
  if (raw.destroyed) gone.abort();
  else raw.once('close', () => gone.abort());
  return gone.signal;
}
