import { COMPATIBLE_VERSION, type Health as HealthAnswer } from '@hopcount/contracts';
import { answerHealth, type Health } from '@hopcount/runtime';
import type { FastifyInstance, FastifyRequest } from 'fastify';

/** Where Shlink's web client asks each domain whether it is there. */
export const HEALTH_PATHS = ['/rest/health', '/rest/v1/health', '/rest/v2/health', '/rest/v3/health'] as const;
const PREFLIGHT_SECONDS = 3_600;

/** As the api answers it: pages of any origin ask, with a header that is an API key elsewhere and nobody reads here. */
export function registerShlinkHealth(server: FastifyInstance, health: Health): void {
  for (const path of HEALTH_PATHS) {
    server.get(path, async (request, reply) => {
      const { status } = await answerHealth('/readyz', health);
      const answer: HealthAnswer = {
        status: status === 200 ? 'pass' : 'fail',
        version: COMPATIBLE_VERSION,
        links: { about: '/', project: '/' },
      };
      if (health.isDraining) reply.header('connection', 'close');
      return reply
        .code(status)
        .headers({ ...forOrigin(request), 'content-type': 'application/health+json', 'cache-control': 'no-store' })
        .send(Buffer.from(JSON.stringify(answer)));
    });
    server.options(path, (request, reply) =>
      reply
        .code(204)
        .headers({
          ...forOrigin(request),
          'access-control-allow-methods': 'GET, HEAD',
          'access-control-allow-headers': request.headers['access-control-request-headers'] ?? '*',
          'access-control-max-age': PREFLIGHT_SECONDS,
        })
        .send(),
    );
  }
}

function forOrigin({ headers: { origin } }: FastifyRequest): Record<string, string> {
  return origin === undefined ? {} : { 'access-control-allow-origin': '*' };
}
