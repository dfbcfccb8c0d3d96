import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import { PrebuiltBody } from '@hopcount/runtime';
import fastify, { type FastifyInstance } from 'fastify';

import { sendPrebuilt } from '../http/send-prebuilt.js';
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

const PAGE = '/rest/docs';
/** What the page loads, as it says itself. */
const LOADED = /(?:src|href)="([^"]+)"/g;

/** The API description at /rest/openapi.json, and a page to read and try it at /rest/docs. */
export async function serveDocument(
  server: FastifyInstance,
  document: ReturnType<typeof createDocument>,
): Promise<void> {
  const described = new PrebuiltBody('application/json; charset=utf-8', Buffer.from(JSON.stringify(document)));
  server.get('/rest/openapi.json', (request, reply) => sendPrebuilt(described, request, reply));
  // Their plugins would write the document anew for each request: they are asked once for each of their files.
  const plugins = fastify();
  await plugins.register(swagger, { mode: 'static', specification: { document: document as never } });
  await plugins.register(swaggerUi, {
    routePrefix: PAGE,
    theme: { title: 'Hopcount REST API' },
    uiConfig: { tryItOutEnabled: true, layout: 'BaseLayout' },
  });
  const page = await fileOf(plugins, PAGE);
  const loaded = [...page.plain.toString().matchAll(LOADED)].map(([, path]) => String(path));
  const files = new Map([[PAGE, page]]);
  for (const path of [`${PAGE}/`, `${PAGE}/json`, `${PAGE}/yaml`, ...loaded])
    files.set(path, await fileOf(plugins, path));
  await plugins.close();
  for (const route of files.keys()) {
    // The router takes both spellings of the page for one; what the page loads stands relative to its own.
    if (route === `${PAGE}/`) continue;
    server.get(route, (request, reply) => {
      const asked = request.url.split('?', 1)[0] === `${route}/` ? `${route}/` : route;
      reply.header('content-security-policy', CONTENT_SECURITY_POLICY);
      return sendPrebuilt(files.get(asked) ?? (files.get(route) as PrebuiltBody), request, reply);
    });
  }
}

async function fileOf(plugins: FastifyInstance, path: string): Promise<PrebuiltBody> {
  const { statusCode, headers, rawPayload } = await plugins.inject(path);
  if (statusCode !== 200) throw new Error(`the page of the API answers ${path} with ${statusCode}`);
  return new PrebuiltBody(String(headers['content-type']), rawPayload);
}
