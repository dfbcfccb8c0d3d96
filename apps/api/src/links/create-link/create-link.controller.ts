import { Body, Controller } from '@nestjs/common';
import { type ShortUrl, shortUrlSchema } from '@hopcount/contracts';
import { LinkStore } from '@hopcount/links';

import { Operation } from '../../http/operation.js';
import { ShortUrlPresenter } from '../short-url.presenter.js';
import { type CreateLinkRequest, createLinkRequest } from './create-link.request.js';

@Controller()
export class CreateLinkController {
  constructor(
    private readonly links: LinkStore,
    private readonly presenter: ShortUrlPresenter,
  ) {}

  @Operation('POST /rest/v3/short-urls', {
    id: 'createShortUrl',
    scope: 'links:write',
    summary: 'Create a short URL',
    description: 'Without `customSlug` the code is generated.',
    tag: 'Short URLs',
    body: createLinkRequest,
    answer: shortUrlSchema,
    problems: ['non-unique-slug', 'unsafe-target', 'reserved-slug'],
  })
  async create(@Body() body: CreateLinkRequest): Promise<ShortUrl> {
    return this.presenter.one(await this.links.create(body));
  }
}
