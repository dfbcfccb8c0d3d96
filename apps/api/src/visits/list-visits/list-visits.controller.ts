import { Controller, Get, Param, Query } from '@nestjs/common';
import type { Page, Visit } from '@hopcount/contracts';
import { LinkStore } from '@hopcount/links';
import { VisitLog } from '@hopcount/statistics';

import { inclusiveRange } from '../../http/date-range.js';
import { parseQuery } from '../../http/input.js';
import { pageSize, pageWindow, toPage } from '../../http/page.js';
import { ReportingZone } from '../../http/reporting-zone.js';
import { restPaths } from '../../http/rest-paths.js';
import { PublicPlace } from '../../links/public-place.js';
import { KeyedOperation } from '../../openapi/operation.js';
import { listVisitsQuery } from './list-visits.query.js';
import { toVisit } from './to-visit.js';

@Controller(restPaths('short-urls'))
export class ListVisitsController {
  constructor(
    private readonly links: LinkStore,
    private readonly log: VisitLog,
    private readonly place: PublicPlace,
    private readonly zone: ReportingZone,
  ) {}

  @Get(':code/visits')
  @KeyedOperation({
    id: 'listVisits',
    summary: 'List the visits of a short URL, newest first',
    tag: 'Visits',
    hasCode: true,
    query: listVisitsQuery,
    answer: 'VisitList',
    problems: ['invalid-data', 'invalid-range', 'short-url-not-found'],
  })
  async listVisits(@Param('code') code: string, @Query() given: unknown): Promise<{ visits: Page<Visit> }> {
    const query = parseQuery(listVisitsQuery, given);
    const range = inclusiveRange(query, this.zone.name);
    const link = await this.links.get(code, query.domain);
    const asked = { page: query.page, size: pageSize(query.itemsPerPage, 'all') };
    const { visits, total } = await this.log.page({
      linkId: link.id,
      ...range,
      excludeBots: query.excludeBots,
      page: query.page,
      itemsPerPage: pageWindow(asked).limit,
    });
    const visitedUrl = this.place.shortUrl(link);
    return {
      visits: toPage(
        visits.map((visit) => toVisit(visit, visitedUrl)),
        { ...asked, totalItems: total },
      ),
    };
  }
}
