import { Controller, Delete, Headers, HttpCode, Param, Query } from '@nestjs/common';
import { LinkEditor } from '@hopcount/links';

import { versionFromIfMatch } from '../../http/if-match.js';
import { parseQuery } from '../../http/input.js';
import { restPaths } from '../../http/rest-paths.js';
import { KeyedOperation } from '../../openapi/operation.js';
import { linkQuery } from '../link.query.js';

@Controller(restPaths('short-urls'))
export class DeleteLinkController {
  constructor(private readonly editor: LinkEditor) {}

  @Delete(':code')
  @HttpCode(204)
  @KeyedOperation({
    id: 'deleteShortUrl',
    summary: 'Delete a short URL',
    description: 'Visitors get 404 on every gateway within a second. Its visits stay counted and its code stays taken.',
    tag: 'Short URLs',
    hasCode: true,
    takesIfMatch: true,
    query: linkQuery,
    answer: null,
    problems: ['invalid-data', 'short-url-not-found', 'version-conflict'],
  })
  async delete(
    @Param('code') code: string,
    @Query() query: unknown,
    @Headers('if-match') ifMatch: string | undefined,
  ): Promise<void> {
    const { domain } = parseQuery(linkQuery, query);
    await this.editor.delete({ code, domain, version: versionFromIfMatch(ifMatch) });
  }
}
