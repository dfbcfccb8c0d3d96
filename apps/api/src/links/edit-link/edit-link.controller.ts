import { Body, Controller, Headers, Param, Patch, Query, Res } from '@nestjs/common';
import type { ShortUrl } from '@hopcount/contracts';
import { LinkEditor } from '@hopcount/links';
import type { FastifyReply } from 'fastify';

import { toETag, versionFromIfMatch } from '../../http/if-match.js';
import { parseInput, parseQuery } from '../../http/input.js';
import { restPaths } from '../../http/rest-paths.js';
import { KeyedOperation } from '../../openapi/operation.js';
import { linkQuery } from '../link.query.js';
import { ShortUrlPresenter } from '../short-url.presenter.js';
import { editLinkRequest } from './edit-link.request.js';

@Controller(restPaths('short-urls'))
export class EditLinkController {
  constructor(
    private readonly editor: LinkEditor,
    private readonly presenter: ShortUrlPresenter,
  ) {}

  @Patch(':code')
  @KeyedOperation({
    id: 'editShortUrl',
    summary: 'Change a short URL, or move it to another group',
    description: 'Every gateway sends visitors to the new target within a second. Fields that are not given stay.',
    tag: 'Short URLs',
    hasCode: true,
    takesIfMatch: true,
    query: linkQuery,
    body: editLinkRequest,
    answer: 'ShortUrl',
    problems: [
      'invalid-data',
      'malformed-request-body',
      'short-url-not-found',
      'version-conflict',
      'payload-too-large',
      'unsupported-media-type',
      'unsafe-target',
    ],
  })
  async edit(
    @Param('code') code: string,
    @Query() query: unknown,
    @Headers('if-match') ifMatch: string | undefined,
    @Body() body: unknown,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ShortUrl> {
    const edit = parseInput(editLinkRequest, body ?? {});
    const { domain } = parseQuery(linkQuery, query);
    const link = await this.editor.edit({ code, domain, version: versionFromIfMatch(ifMatch) }, edit);
    void reply.header('etag', toETag(link.version));
    return this.presenter.one(link);
  }
}
