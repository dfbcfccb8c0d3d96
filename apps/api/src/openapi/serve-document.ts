import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';

import type { createDocument } from './document.js';

/** Only what this server serves may run or load: no CDN, no inline script. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The API description at /rest/openapi.json, and a page to read and try it at /rest/docs. */
export async function serveDocument(
  server: FastifyInstance,
  document: ReturnType<typeof createDocument>,
): Promise<void> {
  server.get('/rest/openapi.json', (_request, reply) => reply.header('cache-control', 'no-cache').send(document));
  await server.register(swagger, { mode: 'static', specification: { document: document as never } });
  await server.register(swaggerUi, {
    routePrefix: '/rest/docs',
    staticCSP: CONTENT_SECURITY_POLICY,
    theme: { title: 'Hopcount REST API' },
    uiConfig: { tryItOutEnabled: true, layout: 'BaseLayout' },
  });
}
