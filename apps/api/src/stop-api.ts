import type { NestFastifyApplication } from '@nestjs/platform-fastify';

import type { ApiResources } from './api-resources.js';

/**
 * Longest way of a request that is under way. Only a purge may take longer: what it has marked, the job
 * deletes. Within the ten seconds a container has by default, so that the resources are closed, too.
 */
const LAST_ANSWERS_MS = 5_000;

/**
 * Ends an api process:
 *
 *   draining   readiness off, every answer from now on ends its connection (see createApi): Node would wait
 *              for a kept one until its keep-alive ends
 *   closing    no listener, idle connections closed, requests under way answered. A connection that never
 *              asked anything (a browser's preconnect) counts as under way to Node, and has no end:
 *              what is left after LAST_ANSWERS_MS is closed
 *   closed     no request can come any more: the resources are let go of, also when closing failed
 */
export async function stopApi(
  app: NestFastifyApplication,
  resources: Pick<ApiResources, 'health' | 'close'>,
  options: { lastAnswersMs?: number } = {},
): Promise<void> {
  resources.health.drain();
  const server = app.getHttpServer();
  const late = setTimeout(() => server.closeAllConnections(), options.lastAnswersMs ?? LAST_ANSWERS_MS);
  try {
    await app.close();
  } finally {
    clearTimeout(late);
    await resources.close();
  }
}
