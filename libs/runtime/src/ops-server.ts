import { createServer, type Server } from 'node:http';

import type { Registry } from 'prom-client';

import type { Health } from './health.js';

/** Path → status, content type and body of the three pages every process has; undefined for any other path. */
export async function answerOpsRequest(
  path: string,
  parts: { health: Health; metrics: Registry },
): Promise<{ status: number; contentType: string; body: string } | undefined> {
  switch (path) {
    case '/livez':
    case '/readyz': {
      const report = path === '/livez' ? await parts.health.live() : await parts.health.ready();
      return {
        status: report.status === 'fail' ? 503 : 200,
        contentType: 'application/health+json',
        body: JSON.stringify(report),
      };
    }
    case '/metrics':
      return { status: 200, contentType: parts.metrics.contentType, body: await parts.metrics.metrics() };
    default:
      return undefined;
  }
}

/** For processes with no HTTP of their own (the consumer). Resolves once listening. */
export function startOpsServer(options: {
  host: string;
  port: number;
  health: Health;
  metrics: Registry;
}): Promise<Server> {
  const server = createServer((request, response) => {
    const path = (request.url ?? '/').split('?')[0] ?? '/';
    void answerOpsRequest(path, options).then(
      (answer) => {
        response.writeHead(answer?.status ?? 404, { 'content-type': answer?.contentType ?? 'text/plain' });
        response.end(answer?.body ?? 'Not found\n');
      },
      (error: unknown) => {
        response.writeHead(500, { 'content-type': 'text/plain' });
        response.end(`${(error as Error).message}\n`);
      },
    );
  });
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, () => resolve(server));
  });
}

/** Of a listening server; empty when it listens nowhere. */
export function urlOf(address: string | { address: string; port: number } | null): string {
  return address === null || typeof address === 'string' ? '' : `http://${address.address}:${address.port}`;
}
