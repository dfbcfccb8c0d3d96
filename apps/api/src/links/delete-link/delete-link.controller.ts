import { Controller, Headers, Param, Query } from '@nestjs/common';
import { LinkEditor } from '@hopcount/links';
import type { Reach } from '@hopcount/runtime';

import { versionFromIfMatch } from '../../http/if-match.js';
import { Operation } from '../../http/operation.js';
import { Reached } from '../../http/reached.js';
import { type LinkQuery, linkQuery } from '../link.query.js';

@Controller()
export class DeleteLinkController {
  constructor(private readonly editor: LinkEditor) {}

  @Operation('DELETE /rest/v3/short-urls/:code', {
    id: 'deleteShortUrl',
    scope: 'links:write',
    summary: 'Delete a short URL',
    description: 'Visitors get 404 on every gateway within a second. Its visits stay counted and its code stays taken.',
    tag: 'Short URLs',
    takesIfMatch: true,
    query: linkQuery,
    answer: null,
    problems: ['short-url-not-found', 'version-conflict'],
  })
  async delete(
    @Reached() reach: Reach,
    @Param('code') code: string,
    @Query() { domain }: LinkQuery,
    @Headers('if-match') ifMatch: string | undefined,
  ): Promise<void> {
    await this.editor.delete(reach, { code, domain, version: versionFromIfMatch(ifMatch) });
  }
}
