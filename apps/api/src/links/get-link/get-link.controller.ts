import { Controller, Param, Query, Res } from '@nestjs/common';
import { type ShortUrl, shortUrlSchema } from '@hopcount/contracts';
import { LinkStore } from '@hopcount/links';
import type { Reach } from '@hopcount/runtime';
import type { FastifyReply } from 'fastify';

import { toETag } from '../../http/if-match.js';
import { Operation } from '../../http/operation.js';
import { Reached } from '../../http/reached.js';
import { type LinkQuery, linkQuery } from '../link.query.js';
import { GET_LINK_EXAMPLES } from '../links.examples.js';
import { ShortUrlPresenter } from '../short-url.presenter.js';

@Controller()
export class GetLinkController {
  constructor(
    private readonly links: LinkStore,
    private readonly presenter: ShortUrlPresenter,
  ) {}

  @Operation('GET /rest/v3/short-urls/:code', {
    id: 'getShortUrl',
    scope: 'links:read',
    summary: 'Read a short URL',
    tag: 'Short URLs',
    query: linkQuery,
    answer: shortUrlSchema,
    examples: GET_LINK_EXAMPLES,
    problems: ['short-url-not-found'],
  })
  async get(
    @Reached() reach: Reach,
    @Param('code') code: string,
    @Query() { domain }: LinkQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ShortUrl> {
    const link = await this.links.get(reach, code, domain);
    void reply.header('etag', toETag(link.version));
    return this.presenter.one(link);
  }
}
