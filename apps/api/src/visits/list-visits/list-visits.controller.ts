import { Controller, Param, Query } from '@nestjs/common';
import { type VisitList, visitListSchema } from '@hopcount/contracts';
import { LinkStore } from '@hopcount/links';
import { VisitLog } from '@hopcount/statistics';

import { inclusiveRange } from '../../http/date-range.js';
import { pageSize, pageWindow, toPage } from '../../http/page.js';
import { Operation } from '../../http/operation.js';
import { Settings } from '../../settings.js';
import { type ListVisitsQuery, listVisitsQuery } from './list-visits.query.js';
import { toVisit } from './to-visit.js';

@Controller()
export class ListVisitsController {
  constructor(
    private readonly links: LinkStore,
    private readonly log: VisitLog,
    private readonly settings: Settings,
  ) {}

  @Operation('GET /rest/v3/short-urls/:code/visits', {
    id: 'listVisits',
    scope: 'statistics:read',
    summary: 'List the visits of a short URL, newest first',
    tag: 'Visits',
    query: listVisitsQuery,
    answer: visitListSchema,
    problems: ['invalid-range', 'short-url-not-found', 'archive-question-too-large', 'archive-unreadable'],
  })
  async listVisits(@Param('code') code: string, @Query() query: ListVisitsQuery): Promise<VisitList> {
    const range = inclusiveRange(query, this.settings.reportingTimeZone);
    const link = await this.links.get(code, query.domain);
    const asked = { page: query.page, size: pageSize(query.itemsPerPage, 'all') };
    const { visits, total } = await this.log.page({
      linkId: link.id,
      ...range,
      excludeBots: query.excludeBots,
      page: query.page,
      itemsPerPage: pageWindow(asked).limit,
    });
    const visitedUrl = this.settings.publicUrl(link.domain, `/${link.code}`);
    return {
      visits: toPage(
        visits.map((visit) => toVisit(visit, visitedUrl)),
        { ...asked, totalItems: total },
      ),
    };
  }
}
