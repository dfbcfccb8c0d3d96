import { Controller, Param, Query, Res } from '@nestjs/common';
import { type ShortUrl, shortUrlSchema } from '@hopcount/contracts';
import { LinkBin } from '@hopcount/links';
import type { Reach } from '@hopcount/runtime';
import type { FastifyReply } from 'fastify';

import { toETag } from '../../http/if-match.js';
import { Operation } from '../../http/operation.js';
import { Reached } from '../../http/reached.js';
import { type LinkQuery, linkQuery } from '../link.query.js';
import { ShortUrlPresenter } from '../short-url.presenter.js';

@Controller()
export class RestoreLinkController {
  constructor(
    private readonly bin: LinkBin,
    private readonly presenter: ShortUrlPresenter,
  ) {}

  @Operation('POST /rest/v3/deleted-short-urls/:code/restore', {
    id: 'restoreShortUrl',
    scope: 'links:write',
    summary: 'Take a short URL out of the recycle bin',
    description: 'It is as it was, and every gateway redirects within a second.',
    tag: 'Short URLs',
    query: linkQuery,
    answer: shortUrlSchema,
    problems: ['short-url-not-found'],
  })
  async restore(
    @Reached() reach: Reach,
    @Param('code') code: string,
    @Query() { domain }: LinkQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ShortUrl> {
    const link = await this.bin.restore(reach, code, domain);
    void reply.header('etag', toETag(link.version));
    return this.presenter.one(link);
  }
}
