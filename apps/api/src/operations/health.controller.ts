import { Controller, Res } from '@nestjs/common';
import { COMPATIBLE_VERSION, type Health, healthSchema } from '@hopcount/contracts';
import { Database } from '@hopcount/postgres';
import type { FastifyReply } from 'fastify';

import { Operation } from '../http/operation.js';

const LINKS = { about: '/rest/docs', project: '/rest/openapi.json' };

/** What monitors and clients of the REST API ask first; also at /rest/health. */
@Controller()
export class HealthController {
  constructor(private readonly database: Database) {}

  @Operation('GET /rest/v3/health', {
    id: 'health',
    scope: 'public',
    summary: 'Whether this server can answer (503 when its database is away)',
    tag: 'Operations',
    answer: healthSchema,
    contentType: 'application/health+json',
    problems: ['invalid-data'],
  })
  async health(@Res() reply: FastifyReply): Promise<void> {
    const status = await this.database.query('SELECT 1').then(
      () => 'pass' as const,
      () => 'fail' as const,
    );
    const health: Health = { status, version: COMPATIBLE_VERSION, links: LINKS };
    reply.code(status === 'pass' ? 200 : 503).header('cache-control', 'no-store');
    // As bytes: Fastify would add a charset, which this media type does not have.
    reply.header('content-type', 'application/health+json').send(Buffer.from(JSON.stringify(health)));
  }
}
