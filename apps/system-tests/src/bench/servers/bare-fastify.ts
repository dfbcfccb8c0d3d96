// The same on Fastify, without logging or hooks. `node bare-fastify.js <port> <links>`
import { fastify } from 'fastify';

const [port, links] = process.argv.slice(2).map(Number);
const targets = new Map(
  Array.from({ length: links ?? 0 }, (_, index) => [`bench-${index}`, `https://example.com/page/${index}`]),
);

const server = fastify({ logger: false });
server.get<{ Params: { code: string } }>('/:code', (request, reply) => {
  const target = targets.get(request.params.code);
  if (target === undefined) return reply.code(404).send();
  return reply.header('cache-control', 'private, no-store').redirect(target, 302);
});
await server.listen({ port: port ?? 0, host: '127.0.0.1' });
process.send?.('listening');
