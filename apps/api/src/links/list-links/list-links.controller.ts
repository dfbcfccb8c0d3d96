import { Controller, Query } from '@nestjs/common';
import { type ShortUrlList, shortUrlListSchema } from '@hopcount/contracts';
import { LinkList } from '@hopcount/links';
import type { Reach } from '@hopcount/runtime';

import { inclusiveRange } from '../../http/date-range.js';
import { pageSize, pageWindow, toPage } from '../../http/page.js';
import { Operation } from '../../http/operation.js';
import { Reached } from '../../http/reached.js';
import { Settings } from '../../settings.js';
import { LIST_LINKS_EXAMPLES } from '../links.examples.js';
import { ShortUrlPresenter } from '../short-url.presenter.js';
import { DEFAULT_ITEMS_PER_PAGE, type ListLinksQuery, listLinksQuery } from './list-links.query.js';

@Controller()
export class ListLinksController {
  constructor(
    private readonly list: LinkList,
    private readonly presenter: ShortUrlPresenter,
    private readonly settings: Settings,
  ) {}

  @Operation('GET /rest/v3/short-urls', {
    id: 'listShortUrls',
    scope: 'links:read',
    summary: 'List short URLs',
    tag: 'Short URLs',
    query: listLinksQuery,
    answer: shortUrlListSchema,
    examples: LIST_LINKS_EXAMPLES,
    problems: ['invalid-range', 'invalid-time-zone'],
  })
  async listLinks(@Reached() reach: Reach, @Query() query: ListLinksQuery): Promise<ShortUrlList> {
    const asked = { page: query.page, size: pageSize(query.itemsPerPage, DEFAULT_ITEMS_PER_PAGE) };
    const { from, to } = inclusiveRange(query, this.settings.reportingTimeZone);
    const { links, ...total } = await this.list.list({
      ...query,
      groupId: query.group,
      reach,
      ...pageWindow(asked),
      from: from === undefined ? null : new Date(from),
      to: to === undefined ? null : new Date(to),
    });
    return { shortUrls: toPage(await this.presenter.many(links), { ...asked, ...total }) };
  }
}
