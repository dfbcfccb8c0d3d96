import { Controller, Query, Req, Res } from '@nestjs/common';
import { type ShortUrl, shortUrlSchema } from '@hopcount/contracts';
import { LinkStore } from '@hopcount/links';
import { AppError, type Reach } from '@hopcount/runtime';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { Operation } from '../../http/operation.js';
import { Reached } from '../../http/reached.js';
import { createLinkRequest } from '../create-link/create-link.request.js';
import { ShortUrlPresenter } from '../short-url.presenter.js';
import { type ShortenQuery, shortenQuery } from './shorten.query.js';

@Controller()
export class ShortenController {
  constructor(
    private readonly links: LinkStore,
    private readonly presenter: ShortUrlPresenter,
  ) {}

  @Operation('GET /rest/v3/short-urls/shorten', {
    id: 'shorten',
    scope: 'links:write',
    creates: true,
    summary: 'Create a short URL with a GET request',
    description:
      'For bookmarklets and clients that can only fetch an address. Each request creates a link. What is in an address ' +
      'ends up in histories and logs: use a key of its own, and the POST request where you can.',
    tag: 'Short URLs',
    takesKeyInQuery: true,
    query: shortenQuery,
    answer: shortUrlSchema,
    contentType: ['application/json', 'text/plain'],
    problems: ['unsafe-target', 'method-not-allowed'],
  })
  async shorten(
    @Reached() reach: Reach,
    @Query() { longUrl, format }: ShortenQuery,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ShortUrl | void> {
    if (request.method === 'HEAD') {
      void reply.header('allow', 'GET');
      throw new AppError('method-not-allowed', 'This address answers GET.');
    }
    const link = await this.links.create(reach, createLinkRequest.parse({ longUrl }));
    const shortUrl = await this.presenter.one(link);
    void reply.header('cache-control', 'no-store').header('vary', 'accept');
    if ((format ?? acceptedFormat(request)) === 'json') return shortUrl;
    void reply.type('text/plain; charset=utf-8').send(shortUrl.shortUrl);
  }
}

function acceptedFormat({ headers: { accept = '' } }: FastifyRequest): 'txt' | 'json' {
  return /^\s*text\/plain\b/i.test(accept) ? 'txt' : 'json';
}
