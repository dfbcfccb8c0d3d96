import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

import type { PrebuiltBody } from '@hopcount/runtime';
import type { FastifyInstance, FastifyReply } from 'fastify';

import { sendPrebuilt } from '../http/send-prebuilt.js';
import { type DashboardFiles, isHashed } from './dashboard-files.js';

const INDEX = 'index.html';
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
    if (file !== undefined && path !== INDEX) return sendPrebuilt(file, request, reply);
    const page = files.get(INDEX);
    if (page === undefined || isHashed(path) || !wantsPage(request.headers)) return;
    return sendPage(page, facts, reply);
  });
}

function wantsPage({ accept = '' }: IncomingHttpHeaders): boolean {
  return accept.includes('text/html');
}

/** Each with a nonce of its own, so nobody keeps one. */
function sendPage({ plain }: PrebuiltBody, { basePath, hasProvider }: PageFacts, reply: FastifyReply): FastifyReply {
  const nonce = randomBytes(18).toString('base64');
  return reply
    .header('content-security-policy', contentSecurityPolicy(nonce))
    .header('cache-control', 'no-cache')
    .type('text/html; charset=utf-8')
    .send(
      plain
        .toString()
        .replaceAll('{{base}}', basePath)
        .replaceAll('{{nonce}}', nonce)
        .replaceAll('{{provider}}', hasProvider ? 'yes' : 'no'),
    );
}
