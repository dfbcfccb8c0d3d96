import { Controller, Query } from '@nestjs/common';
import { type DeletedShortUrlList, deletedShortUrlListSchema } from '@hopcount/contracts';
import { LinkBin } from '@hopcount/links';
import type { Reach } from '@hopcount/runtime';
import { z } from 'zod';

import { formatDate } from '../../http/dates.js';
import { queryItemsPerPage, queryPage, queryText } from '../../http/input.js';
import { Operation } from '../../http/operation.js';
import { pageSize, pageWindow, toPage } from '../../http/page.js';
import { Reached } from '../../http/reached.js';
import { DEFAULT_ITEMS_PER_PAGE } from '../list-links/list-links.query.js';
import { ShortUrlPresenter } from '../short-url.presenter.js';

const listDeletedQuery = z.strictObject({
  page: queryPage.meta({ description: 'From 1.' }),
  itemsPerPage: queryItemsPerPage.meta({ description: 'Default 10; below 1: all, at most 5,000.' }),
  domain: queryText.meta({ description: 'Links of this domain; `DEFAULT` is the default one.' }),
});

@Controller()
export class ListDeletedController {
  constructor(
    private readonly bin: LinkBin,
    private readonly presenter: ShortUrlPresenter,
  ) {}

  @Operation('GET /rest/v3/deleted-short-urls', {
    id: 'listDeletedShortUrls',
    scope: 'links:read',
    summary: 'List the recycle bin',
    description: 'Deleted short URLs, the last one first. They stay there until they are restored or purged.',
    tag: 'Short URLs',
    query: listDeletedQuery,
    answer: deletedShortUrlListSchema,
  })
  async list(@Reached() reach: Reach, @Query() query: z.output<typeof listDeletedQuery>): Promise<DeletedShortUrlList> {
    const asked = { page: query.page, size: pageSize(query.itemsPerPage, DEFAULT_ITEMS_PER_PAGE) };
    const { links, totalItems } = await this.bin.list({ reach, domain: query.domain, ...pageWindow(asked) });
    const shortUrls = await this.presenter.many(links);
    const deleted = shortUrls.map((shortUrl, index) => {
      return { ...shortUrl, dateDeleted: formatDate(links[index]?.deletedAt ?? new Date()) };
    });
    return { shortUrls: toPage(deleted, { ...asked, totalItems }) };
  }
}
