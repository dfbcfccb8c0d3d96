import { Controller, Get, Query } from '@nestjs/common';
import type { Page, ShortUrl } from '@hopcount/contracts';
import { LinkList } from '@hopcount/links';

import { inclusiveRange } from '../../http/date-range.js';
import { parseQuery } from '../../http/input.js';
import { pageSize, pageWindow, toPage } from '../../http/page.js';
import { ReportingZone } from '../../http/reporting-zone.js';
import { restPaths } from '../../http/rest-paths.js';
import { KeyedOperation } from '../../openapi/operation.js';
import { ShortUrlPresenter } from '../short-url.presenter.js';
import { DEFAULT_ITEMS_PER_PAGE, listLinksQuery } from './list-links.query.js';

@Controller(restPaths('short-urls'))
export class ListLinksController {
  constructor(
    private readonly list: LinkList,
    private readonly presenter: ShortUrlPresenter,
    private readonly zone: ReportingZone,
  ) {}

  @Get()
  @KeyedOperation({
    id: 'listShortUrls',
    summary: 'List short URLs',
    tag: 'Short URLs',
    query: listLinksQuery,
    answer: 'ShortUrlList',
    problems: ['invalid-data', 'invalid-range'],
  })
  async listLinks(@Query() given: unknown): Promise<{ shortUrls: Page<ShortUrl> }> {
    const query = parseQuery(listLinksQuery, given);
    const asked = { page: query.page, size: pageSize(query.itemsPerPage, DEFAULT_ITEMS_PER_PAGE) };
    const { from, to } = inclusiveRange(query, this.zone.name);
    const { links, totalItems } = await this.list.list({
      ...query,
      ...pageWindow(asked),
      from: from === undefined ? null : new Date(from),
      to: to === undefined ? null : new Date(to),
    });
    return { shortUrls: toPage(await this.presenter.many(links), { ...asked, totalItems }) };
  }
}
