import { createHash } from 'node:crypto';

import { Body, Controller, Headers, Param, Query, Res } from '@nestjs/common';
import { QR_CODE_FORMATS, qrCodeSchema } from '@hopcount/contracts';
import { LinkStore } from '@hopcount/links';
import type { Reach } from '@hopcount/runtime';
import type { FastifyReply } from 'fastify';
import limit from 'p-limit';

import { Operation } from '../../http/operation.js';
import { Reached } from '../../http/reached.js';
import { Settings } from '../../settings.js';
import { drawPng } from './draw-png.js';
import { drawSvg } from './draw-svg.js';
import { parseLogo } from './logo.js';
import { type QrCodeLogo, qrCodeLogo, type QrCodeQuery, qrCodeQuery } from './qr-code.request.js';
import { QrDrawing } from './qr-drawing.js';

const DESCRIPTION = `A PNG, or an SVG with \`format=svg\`, of the address visitors open. The same question has the same
\`ETag\`: with \`If-None-Match\` the answer is 304.`;
/** Pictures drawn at once: the pixels of a PNG take up to 6 MB until they are packed, those of a logo 1 MB. */
const AT_ONCE = 2;
const CONTENT_TYPES = Object.values(QR_CODE_FORMATS);

/** QR codes hold the short URL as a browser sends it, in ASCII: readers disagree about anything else. */
@Controller()
export class QrCodeController {
  readonly #turns = limit(AT_ONCE);

  constructor(
    private readonly links: LinkStore,
    private readonly settings: Settings,
  ) {}

  @Operation('GET /rest/v3/short-urls/:code/qr-code', {
    id: 'getQrCode',
    scope: 'links:read',
    summary: 'QR code of a short URL',
    description: DESCRIPTION,
    tag: 'Short URLs',
    query: qrCodeQuery,
    answer: qrCodeSchema,
    contentType: CONTENT_TYPES,
    problems: ['short-url-not-found'],
  })
  async get(
    @Reached() reach: Reach,
    @Param('code') code: string,
    @Query() query: QrCodeQuery,
    @Headers('if-none-match') known: string | undefined,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await this.#answer(reach, code, query, null, known, reply);
  }

  @Operation('POST /rest/v3/short-urls/:code/qr-code', {
    id: 'getQrCodeWithLogo',
    scope: 'links:read',
    summary: 'QR code of a short URL with a logo in its middle',
    description: 'Nothing is stored. The error correction is H, so that readers make up for what the logo covers.',
    tag: 'Short URLs',
    query: qrCodeQuery,
    body: qrCodeLogo,
    answer: qrCodeSchema,
    contentType: CONTENT_TYPES,
    problems: ['short-url-not-found'],
  })
  async withLogo(
    @Reached() reach: Reach,
    @Param('code') code: string,
    @Query() query: QrCodeQuery,
    @Body() { logo }: QrCodeLogo,
    @Headers('if-none-match') known: string | undefined,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await this.#answer(reach, code, query, logo, known, reply);
  }

  async #answer(
    reach: Reach,
    code: string,
    query: QrCodeQuery,
    logoText: string | null,
    known: string | undefined,
    reply: FastifyReply,
  ): Promise<void> {
    const link = await this.links.get(reach, code, query.domain);
    const text = new URL(this.settings.publicUrl(link.domain, `/${encodeURIComponent(link.code)}`)).href;
    const tag = `"${createHash('sha256')
      .update(JSON.stringify([text, query, logoText]))
      .digest('base64url')}"`;
    reply.header('etag', tag).header('cache-control', 'private, no-cache');
    if (known?.split(',').some((entry) => entry.trim() === tag) === true) {
      reply.code(304).send();
      return;
    }
    const picture = await this.#turns(draw, text, query, logoText);
    // An SVG opened as a page runs nothing and loads nothing.
    reply.header('content-security-policy', "default-src 'none'; img-src data:");
    reply.header('content-type', QR_CODE_FORMATS[query.format]).send(picture);
  }
}

/** Decodes the logo only now: pictures that wait hold none of its pixels. */
async function draw(text: string, query: QrCodeQuery, logoText: string | null): Promise<Buffer | string> {
  const logo = logoText === null ? null : parseLogo(logoText);
  const drawing = new QrDrawing(text, query, logo);
  return query.format === 'svg' ? drawSvg(drawing) : drawPng(drawing);
}
