import { Body, Controller, Headers, Param, Query, Res } from '@nestjs/common';
import { type ShortUrl, shortUrlSchema } from '@hopcount/contracts';
import { LinkEditor } from '@hopcount/links';
import type { Reach } from '@hopcount/runtime';
import type { FastifyReply } from 'fastify';

import { toETag, versionFromIfMatch } from '../../http/if-match.js';
import { Operation } from '../../http/operation.js';
import { Reached } from '../../http/reached.js';
import { type LinkQuery, linkQuery } from '../link.query.js';
import { ShortUrlPresenter } from '../short-url.presenter.js';
import { type EditLinkRequest, editLinkRequest } from './edit-link.request.js';

@Controller()
export class EditLinkController {
  constructor(
    private readonly editor: LinkEditor,
    private readonly presenter: ShortUrlPresenter,
  ) {}

  @Operation('PATCH /rest/v3/short-urls/:code', {
    id: 'editShortUrl',
    scope: 'links:write',
    summary: 'Change a short URL, or move it to another group',
    description: 'Every gateway sends visitors to the new target within a second. Fields that are not given stay.',
    tag: 'Short URLs',
    takesIfMatch: true,
    query: linkQuery,
    body: editLinkRequest,
    answer: shortUrlSchema,
    problems: ['short-url-not-found', 'version-conflict', 'unsafe-target', 'limit-not-set', 'beyond-role'],
  })
  async edit(
    @Reached() reach: Reach,
    @Param('code') code: string,
    @Query() { domain }: LinkQuery,
    @Headers('if-match') ifMatch: string | undefined,
    @Body() edit: EditLinkRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ShortUrl> {
    const link = await this.editor.edit(reach, { code, domain, version: versionFromIfMatch(ifMatch) }, edit);
    void reply.header('etag', toETag(link.version));
    return this.presenter.one(link);
  }
}
