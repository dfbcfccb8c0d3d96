import type { IncomingMessage, ServerResponse } from 'node:http';

import { ANSWER_HEADERS, answerHealth, type Health, type PrebuiltBody, STRICT_TRANSPORT } from '@hopcount/runtime';
import type { FastifyInstance, FastifyReply } from 'fastify';

import { type Page, PAGES } from './pages.js';
import { pathOf } from './request-target.js';
import { HEALTH_PATHS, registerShlinkHealth } from './shlink-health.js';

type NodeHandler = (request: IncomingMessage, response: ServerResponse) => void;

interface LinkHandlers {
  redirect: NodeHandler;
  /** Of forms, which links with a password or a warning have. */
  submit: NodeHandler;
  /** Whether the client asked by https. */
  isSecure: (request: IncomingMessage) => boolean;
}

/** First segments that belong to the router. Everything else that is GET or HEAD is a short link, or none. */
export const ROUTED: ReadonlySet<string> = new Set([
  ...['/livez', '/readyz', '/robots.txt', '/favicon.ico'],
  ...HEALTH_PATHS,
]);
const PREFLIGHTED: ReadonlySet<string> = new Set(HEALTH_PATHS);

/**
 * The door in front of Fastify's router: short links go straight to their handler. Per CPU-second,
 * answering a constant 302: Node alone 72,000, the same through a Fastify route inside a Nest
 * application 52,000 (Nest's adapter puts six hooks on every route, its own controllers come on top:
 * 19,300 against 28,300 in shared/reference/peers.md). Nest keeps modules, life cycle and the rest.
 */
export function frontDoor({ redirect, submit, isSecure }: LinkHandlers, router: NodeHandler): NodeHandler {
  const route: NodeHandler = (request, response) => {
    if (isSecure(request)) response.setHeader(...STRICT_TRANSPORT);
    router(request, response);
  };
  return (request, response) => {
    const { method, url = '/' } = request;
    if (method === 'GET' || method === 'HEAD')
      return isRedirect(url) ? redirect(request, response) : route(request, response);
    if (method === 'POST' && isRedirect(url)) return submit(request, response);
    if (method === 'OPTIONS' && PREFLIGHTED.has(pathOf(url))) return route(request, response);
    refuseMethod(response, isSecure(request) ? STRICT_TRANSPORT : []);
  };
}

const ROUTED_INITIALS: ReadonlySet<string> = new Set([...ROUTED].map((path) => path.charAt(1)));

/** Whether this target is a short link's, be there one or not. */
export function isRedirect(url: string): boolean {
  return !ROUTED_INITIALS.has(url.charAt(1)) || !ROUTED.has(pathOf(url));
}

/** Before anything reads a body. */
function refuseMethod(response: ServerResponse, more: readonly string[]): void {
  const { status, headers, body } = PAGES.methodNotAllowed;
  response.writeHead(status, [...headers, ...more, 'connection', 'close']);
  response.end(body);
}

/** @param robotsFor robots.txt of the host that is asked; undefined: it cannot be said */
export function registerRoutes(
  server: FastifyInstance,
  health: Health,
  robotsFor: (request: IncomingMessage) => Promise<PrebuiltBody | undefined>,
): void {
  server.addHook('onListen', (done) => {
    health.started();
    done();
  });
  server.addHook('onRequest', (_request, reply, done) => {
    reply.headers(ANSWER_HEADERS);
    done();
  });
  for (const path of ['/livez', '/readyz'] as const) {
    server.get(path, async (_, reply) => {
      const answer = await answerHealth(path, health);
      if (health.isDraining) reply.header('connection', 'close');
      return reply
        .code(answer.status)
        .header('content-type', answer.contentType)
        .header('cache-control', 'no-store')
        .send(answer.body);
    });
  }
  server.get('/robots.txt', async (request, reply) => {
    const built = await robotsFor(request.raw);
    // Unavailable means to a crawler that nothing may be fetched.
    if (built === undefined) return sendPage(reply, PAGES.unavailable);
    const { status, headers, body } = await built.answer(request.headers);
    return reply.code(status).headers(headers).send(body);
  });
  registerShlinkHealth(server, health);
  server.get('/favicon.ico', (_, reply) => sendPage(reply, PAGES.plainNotFound));
}

function sendPage(reply: FastifyReply, page: Page): void {
  reply.hijack();
  reply.raw.writeHead(page.status, page.headers);
  reply.raw.end(reply.request.method === 'HEAD' ? undefined : page.body);
}
