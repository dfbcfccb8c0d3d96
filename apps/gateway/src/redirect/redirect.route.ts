import type { IncomingMessage } from 'node:http';

import { answerOpsRequest, type Health, isLoopback, type Registry } from '@hopcount/runtime';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

import { type Page, PAGES } from './pages.js';
import type { RedirectHandler } from './redirect-handler.js';

export interface RouteParts {
  handler: RedirectHandler;
  health: Health;
  metrics: Registry;
}

const FORWARDING_HEADERS = ['x-forwarded-for', 'forwarded', 'x-real-ip', 'via'];

/**
 * All routes, on the Fastify instance itself. Nest's controllers are left out on this path: the same
 * redirect through one costs a third of the requests per CPU-second (19.3k against 28.3k, measured
 * in shared/reference/peers.md), in a process that does nothing else. The answers are written on
 * Node's response (`hijack`) for the same reason.
 */
export function registerRoutes(server: FastifyInstance, parts: RouteParts): void {
  server.get('/:code', { exposeHeadRoute: false }, (request, reply) => redirect(parts, request, reply));
  server.head('/:code', (request, reply) => redirect(parts, request, reply));
  for (const path of ['/livez', '/readyz', '/metrics']) {
    server.get(path, (request, reply) => answerOps(parts, path, request, reply));
  }
  server.get('/robots.txt', (_, reply) => sendPage(reply, PAGES.robots));
  server.get('/favicon.ico', (_, reply) => sendPage(reply, PAGES.plainNotFound));
  server.get('/*', (_, reply) => sendPage(reply, PAGES.notFound));
}

function redirect(parts: RouteParts, request: FastifyRequest, reply: FastifyReply): void {
  reply.hijack();
  parts.handler.handle(request.raw, reply.raw);
}

async function answerOps(parts: RouteParts, path: string, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  // The gateway faces the public: its metrics are for whoever is on the machine, not behind a proxy.
  if (path === '/metrics' && !isLocal(request.raw)) return void sendPage(reply, PAGES.notFound);
  const answer = await answerOpsRequest(path, parts);
  if (answer === undefined) return void sendPage(reply, PAGES.notFound);
  await reply
    .code(answer.status)
    .header('content-type', answer.contentType)
    .header('cache-control', 'no-store')
    .send(answer.body);
}

function isLocal(request: IncomingMessage): boolean {
  const forwarded = FORWARDING_HEADERS.some((name) => request.headers[name] !== undefined);
  return !forwarded && isLoopback(request.socket.remoteAddress);
}

export function sendPage(reply: FastifyReply, page: Page): void {
  reply.hijack();
  reply.raw.writeHead(page.status, page.headers);
  reply.raw.end(reply.request.method === 'HEAD' ? undefined : page.body);
}
