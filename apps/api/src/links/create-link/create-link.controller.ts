import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import type { ShortUrl } from '@hopcount/contracts';
import { LinkStore } from '@hopcount/links';

import { parseInput } from '../../http/input.js';
import { restPaths } from '../../http/rest-paths.js';
import { KeyedOperation } from '../../openapi/operation.js';
import { ShortUrlPresenter } from '../short-url.presenter.js';
import { createLinkRequest } from './create-link.request.js';

@Controller(restPaths('short-urls'))
export class CreateLinkController {
  constructor(
    private readonly links: LinkStore,
    private readonly presenter: ShortUrlPresenter,
  ) {}

  @Post()
  @HttpCode(200)
  @KeyedOperation({
    id: 'createShortUrl',
    summary: 'Create a short URL',
    description: 'Without `customSlug` the code is generated. Fields that are not listed are ignored.',
    tag: 'Short URLs',
    body: createLinkRequest,
    answer: 'ShortUrl',
    problems: [
      'invalid-data',
      'malformed-request-body',
      'non-unique-slug',
      'payload-too-large',
      'unsupported-media-type',
      'unsafe-target',
      'reserved-slug',
    ],
  })
  async create(@Body() body: unknown): Promise<ShortUrl> {
    const link = await this.links.create(parseInput(createLinkRequest, body ?? {}));
    return this.presenter.one(link);
  }
}
