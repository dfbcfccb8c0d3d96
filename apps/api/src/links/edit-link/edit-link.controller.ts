import { Body, Controller, Headers, Param, Query, Res } from '@nestjs/common';
import { type ShortUrl, shortUrlSchema } from '@hopcount/contracts';
import { LinkEditor, type LinkRecord, LinkStore } from '@hopcount/links';
import type { Reach } from '@hopcount/runtime';
import type { FastifyReply } from 'fastify';

import { toETag, versionFromIfMatch } from '../../http/if-match.js';
import { Operation } from '../../http/operation.js';
import { Reached } from '../../http/reached.js';
import { expectUnchanged } from '../../http/sent-back.js';
import { type LinkQuery, linkQuery } from '../link.query.js';
import { ShortUrlPresenter } from '../short-url.presenter.js';
import { createdFields, expectAsCreated } from './created-fields.js';
import { type EditLinkRequest, editLinkRequest, editsOf, linkEdits } from './edit-link.request.js';

@Controller()
export class EditLinkController {
  constructor(
    private readonly links: LinkStore,
    private readonly editor: LinkEditor,
    private readonly presenter: ShortUrlPresenter,
  ) {}

  @Operation('PATCH /rest/v3/short-urls/:code', {
    id: 'editShortUrl',
    scope: 'links:write',
    summary: 'Change a short URL, or move it to another group',
    description:
      'Every gateway sends visitors to the new target within a second. Fields that are not given stay. What `GET` answers may be ' +
      'sent back, and so may fields of the creation: with another value than the short URL has they are refused with 422. ' +
      'When nothing differs nothing is written, and the ETag stays.',
    tag: 'Short URLs',
    takesIfMatch: true,
    query: linkQuery,
    body: editLinkRequest,
    answer: shortUrlSchema,
    problems: [
      'short-url-not-found',
      'version-conflict',
      'unsafe-target',
      'limit-not-set',
      'beyond-role',
      'read-only-field',
    ],
  })
  async edit(
    @Reached() reach: Reach,
    @Param('code') code: string,
    @Query() { domain }: LinkQuery,
    @Headers('if-match') ifMatch: string | undefined,
    @Body() edit: EditLinkRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ShortUrl> {
    const version = versionFromIfMatch(ifMatch);
    await this.#expectUnchanged(await this.links.get(reach, code, domain), edit);
    const link = await this.editor.edit(reach, { code, domain, version }, editsOf(edit));
    void reply.header('etag', toETag(link.version));
    return this.presenter.one(link);
  }

  /** @throws AppError `read-only-field` */
  async #expectUnchanged(link: LinkRecord, edit: EditLinkRequest): Promise<void> {
    expectAsCreated(edit, link, this.links);
    const answered = await this.presenter.one(link);
    expectUnchanged(edit, answered, { taken: { ...linkEdits, ...createdFields }, counted: ['visitsSummary'] });
  }
}
