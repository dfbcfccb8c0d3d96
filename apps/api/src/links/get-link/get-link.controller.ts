import { Controller, Get, Param, Query, Res } from '@nestjs/common';
import type { ShortUrl } from '@hopcount/contracts';
import { LinkStore } from '@hopcount/links';
import type { FastifyReply } from 'fastify';

import { toETag } from '../../http/if-match.js';
import { parseQuery } from '../../http/input.js';
import { restPaths } from '../../http/rest-paths.js';
import { KeyedOperation } from '../../openapi/operation.js';
import { linkQuery } from '../link.query.js';
import { ShortUrlPresenter } from '../short-url.presenter.js';

@Controller(restPaths('short-urls'))
export class GetLinkController {
  constructor(
    private readonly links: LinkStore,
    private readonly presenter: ShortUrlPresenter,
  ) {}

  @Get(':code')
  @KeyedOperation({
    id: 'getShortUrl',
    summary: 'Read a short URL',
    tag: 'Short URLs',
    hasCode: true,
    query: linkQuery,
    answer: 'ShortUrl',
    problems: ['invalid-data', 'short-url-not-found'],
  })
  async get(
    @Param('code') code: string,
    @Query() query: unknown,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ShortUrl> {
    const { domain } = parseQuery(linkQuery, query);
    const link = await this.links.get(code, domain);
    void reply.header('etag', toETag(link.version));
    return this.presenter.one(link);
  }
}
