import { Body, Controller, Req } from '@nestjs/common';
import { type ShortUrl, shortUrlSchema } from '@hopcount/contracts';
import { type Created, linkOf, LinkStore } from '@hopcount/links';
import type { Queryable } from '@hopcount/postgres';
import type { Reach } from '@hopcount/runtime';
import type { FastifyRequest } from 'fastify';

import { onceOnly } from '../../http/idempotency-key.js';
import { Operation } from '../../http/operation.js';
import { Reached } from '../../http/reached.js';
import { Settings } from '../../settings.js';
import { CREATE_LINK_EXAMPLES } from '../links.examples.js';
import { ShortUrlPresenter } from '../short-url.presenter.js';
import { type CreateLinkRequest, createLinkRequest } from './create-link.request.js';

@Controller()
export class CreateLinkController {
  constructor(
    private readonly links: LinkStore,
    private readonly presenter: ShortUrlPresenter,
    private readonly settings: Settings,
  ) {}

  @Operation('POST /rest/v3/short-urls', {
    id: 'createShortUrl',
    scope: 'links:write',
    creates: true,
    summary: 'Create a short URL',
    description:
      'Without `customSlug` the code is generated. What `GET` answers may be sent: a copy is created, with a code of its own and ' +
      'without redirect rules; of a short URL with a password only together with a new `password`.',
    tag: 'Short URLs',
    takesIdempotencyKey: true,
    body: createLinkRequest,
    answer: shortUrlSchema,
    examples: CREATE_LINK_EXAMPLES,
    problems: ['beyond-role', 'non-unique-slug', 'unsafe-target', 'reserved-slug', 'read-only-field'],
  })
  async create(
    @Reached() reach: Reach,
    @Body() body: CreateLinkRequest,
    @Req() request: FastifyRequest,
  ): Promise<ShortUrl> {
    const once = onceOnly(request, 'createShortUrl', this.settings);
    if (once === undefined) {
      const [shortUrl] = await this.presenter.created([await this.links.createOrFind(reach, body)]);
      return shortUrl as ShortUrl;
    }
    const answer = async ([created]: readonly Created[], tx: Queryable) => {
      const [shortUrl] = await this.presenter.created([linkOf(created)], tx);
      return shortUrl as ShortUrl;
    };
    return this.links.createOnce(reach, body, answer, once);
  }
}
