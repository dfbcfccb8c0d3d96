import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

import type { DashboardFile, DashboardFiles } from './dashboard-files.js';

const INDEX = 'index.html';
/** Names in there hold a hash of what is in the file. */
const HASHED = /^assets\//;
/** Of the api, wherever it is asked for a page. */
const NO_PAGE = /^\/(rest|livez|readyz|metrics)([/?]|$)/;

/** What the page has to know before anybody is signed in. */
interface PageFacts {
  /** Of the addresses that browsers reach this server at; begins and ends with a slash. */
  basePath: string;
  /** Whether people can sign in with an OpenID Connect provider. */
  hasProvider: boolean;
}

/** Styles of components are added while they are shown: they carry the nonce of the page. */
function contentSecurityPolicy(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data: blob:",
    "connect-src 'self'",
    "manifest-src 'self'",
    "base-uri 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/**
 * Pages for people at every address that nothing else answers: this looks only at what the router has no route for, so no
 * page can take the place of a route.
 */
export function serveDashboard(server: FastifyInstance, files: DashboardFiles, facts: PageFacts): void {
  server.addHook('onRequest', async (request, reply) => {
    if (!request.is404 || (request.method !== 'GET' && request.method !== 'HEAD') || NO_PAGE.test(request.url)) return;
    const path = (request.url.split('?')[0] ?? '').slice(1);
    const file = files.get(path);
    if (file !== undefined && path !== INDEX) return sendFile(file, request, reply);
    const page = files.get(INDEX);
    if (page === undefined || HASHED.test(path) || !wantsPage(request.headers)) return;
    return sendPage(page, facts, reply);
  });
}

function wantsPage({ accept = '' }: IncomingHttpHeaders): boolean {
  return accept.includes('text/html');
}

function sendFile(file: DashboardFile, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const accepted = acceptedCodings(String(request.headers['accept-encoding'] ?? ''));
  const [coding, body] = [...file.compressed].find(([name]) => accepted.has(name)) ?? [undefined, file.body];
  // Other bytes have another name.
  const etag = coding === undefined ? file.etag : file.etag.replace(/"$/, `-${coding}"`);
  reply
    .header('cache-control', HASHED.test(file.path) ? 'public, max-age=31536000, immutable' : 'no-cache')
    .header('etag', etag)
    .header('vary', 'accept-encoding');
  if (request.headers['if-none-match'] === etag) return reply.code(304).send();
  if (coding !== undefined) reply.header('content-encoding', coding);
  return reply.type(file.type).send(body);
}

/** Those that are named; `;q=0` names what is not wanted. */
function acceptedCodings(header: string): Set<string> {
  const named = header.split(',').map((one) =>
    one
      .trim()
      .toLowerCase()
      .split(/\s*;\s*q=/),
  );
  return new Set(named.filter(([, weight = '1']) => Number(weight) > 0).map(([coding = '']) => coding));
}

/** Each with a nonce of its own, so nobody keeps one. */
function sendPage({ body }: DashboardFile, { basePath, hasProvider }: PageFacts, reply: FastifyReply): FastifyReply {
  const nonce = randomBytes(18).toString('base64');
  return reply
    .header('content-security-policy', contentSecurityPolicy(nonce))
    .header('cache-control', 'no-cache')
    .type('text/html; charset=utf-8')
    .send(
      body
        .toString()
        .replaceAll('{{base}}', basePath)
        .replaceAll('{{nonce}}', nonce)
        .replaceAll('{{provider}}', hasProvider ? 'yes' : 'no'),
    );
}
