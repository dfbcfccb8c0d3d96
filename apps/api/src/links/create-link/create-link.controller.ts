import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import type { ShortUrl } from '@hopcount/contracts';
import { LinkStore } from '@hopcount/links';

import { parseInput } from '../../http/input.js';
import { restPaths } from '../../http/rest-paths.js';
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
  async create(@Body() body: unknown): Promise<ShortUrl> {
    const link = await this.links.create(parseInput(createLinkRequest, body ?? {}));
    return this.presenter.one(link);
  }
}
