import { createRequire } from 'node:module';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { Controller, Get, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';

import { Public } from '../http/api-key.guard.js';
import { OpenApiDocument } from './open-api-document.js';

const UI_FILES = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));

const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Hopcount REST API</title>
    <link rel="stylesheet" href="/rest/docs/swagger-ui.css" />
    <link rel="icon" href="data:," />
  </head>
  <body>
    <div id="api"></div>
    <script src="/rest/docs/swagger-ui-bundle.js"></script>
    <script src="/rest/docs/start.js"></script>
  </body>
</html>
`;

const START = `SwaggerUIBundle({
  url: '/rest/openapi.json',
  dom_id: '#api',
  deepLinking: true,
  tryItOutEnabled: true,
  validatorUrl: null,
});
`;

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

/** The API description, and a page to read and try it. */
@Public()
@ApiExcludeController()
@Controller('rest')
export class DocsController {
  constructor(private readonly document: OpenApiDocument) {}

  @Get('openapi.json')
  openApi(@Res() reply: FastifyReply): void {
    send(reply, 'application/json; charset=utf-8', this.document.json());
  }

  @Get('docs')
  page(@Res() reply: FastifyReply): void {
    reply.header('content-security-policy', CONTENT_SECURITY_POLICY).header('referrer-policy', 'no-referrer');
    send(reply, 'text/html; charset=utf-8', PAGE);
  }

  @Get('docs/start.js')
  start(@Res() reply: FastifyReply): void {
    send(reply, 'text/javascript; charset=utf-8', START);
  }

  @Get('docs/swagger-ui-bundle.js')
  async script(@Res() reply: FastifyReply): Promise<void> {
    send(reply, 'text/javascript; charset=utf-8', await readFile(join(UI_FILES, 'swagger-ui-bundle.js')));
  }

  @Get('docs/swagger-ui.css')
  async style(@Res() reply: FastifyReply): Promise<void> {
    send(reply, 'text/css; charset=utf-8', await readFile(join(UI_FILES, 'swagger-ui.css')));
  }
}

function send(reply: FastifyReply, contentType: string, body: string | Buffer): void {
  void reply.header('content-type', contentType).header('cache-control', 'no-cache').send(body);
}
