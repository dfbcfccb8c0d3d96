import { Server } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

import type { Health } from '@hopcount/runtime';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';

/** Longest way of a request that is under way: a link asked of a PostgreSQL that does not answer. */
const LAST_ANSWERS_MS = 5_000;
/** How long clients that connected just before the listener closed have to send their request. */
const LAST_REQUESTS_MS = 1_000;

/**
 * Ends a gateway so that no visitor sees a connection reset. Closing a connection that looks idle
 * here meets the request its client is just sending; so connections are not closed but answered:
 *
 *   draining   drainMs: readiness off, still listening, every answer says `connection: close`
 *   last ones  no listener; clients that connected just before still send their request and get an answer
 *   closing    connections without a request are closed, requests under way answered within LAST_ANSWERS_MS
 *   closed     the application makes its last visits durable and lets go of its resources
 */
export async function stopGateway(
  app: NestFastifyApplication,
  health: Pick<Health, 'drain'>,
  options: { drainMs: number },
): Promise<void> {
  health.drain();
  await sleep(options.drainMs);
  const server = app.getHttpServer();
  // Not `server.close()`: in Node 26 it also ends connections that have not sent a request yet.
  Server.prototype.close.call(server);
  await sleep(LAST_REQUESTS_MS);
  const late = setTimeout(() => server.closeAllConnections(), LAST_ANSWERS_MS);
  try {
    await app.close();
  } finally {
    clearTimeout(late);
  }
}
