import { Controller, Get, Res } from '@nestjs/common';
import { Database } from '@hopcount/postgres';
import type { FastifyReply } from 'fastify';

import { Public } from '../http/api-key.guard.js';
import { REST_VERSIONS } from '../http/rest-paths.js';
import { Operation } from '../openapi/operation.js';
import { COMPATIBLE_VERSION } from '../version.js';

const LINKS = { about: '/rest/docs', project: '/rest/openapi.json' };

/** What monitors and clients of the REST API ask first. */
@Public()
@Controller(['rest/health', ...REST_VERSIONS.map((version) => `rest/${version}/health`)])
export class HealthController {
  constructor(private readonly database: Database) {}

  @Get()
  @Operation({
    id: 'health',
    summary: 'Whether this server can answer (503 when its database is away)',
    tag: 'Operations',
    answer: 'Health',
    contentType: 'application/health+json',
    problems: [],
  })
  async health(@Res() reply: FastifyReply): Promise<void> {
    const status = await this.database.query('SELECT 1').then(
      () => 'pass',
      () => 'fail',
    );
    reply.code(status === 'pass' ? 200 : 503).header('cache-control', 'no-store');
    // As bytes: Fastify would add a charset, which this media type does not have.
    reply.header('content-type', 'application/health+json');
    reply.send(Buffer.from(JSON.stringify({ status, version: COMPATIBLE_VERSION, links: LINKS })));
  }
}
