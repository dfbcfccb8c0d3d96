import { Controller, Get, Query } from '@nestjs/common';
import type { OrphanVisit, Page } from '@hopcount/contracts';
import { OrphanLog } from '@hopcount/statistics';

import { inclusiveRange } from '../../http/date-range.js';
import { parseQuery } from '../../http/input.js';
import { pageSize, pageWindow, toPage } from '../../http/page.js';
import { ReportingZone } from '../../http/reporting-zone.js';
import { restPaths } from '../../http/rest-paths.js';
import { PublicPlace } from '../../links/public-place.js';
import { KeyedOperation } from '../../openapi/operation.js';
import { listOrphanVisitsQuery } from './list-orphan-visits.query.js';
import { toOrphanVisit } from './to-orphan-visit.js';

@Controller(restPaths('visits'))
export class ListOrphanVisitsController {
  constructor(
    private readonly log: OrphanLog,
    private readonly place: PublicPlace,
    private readonly zone: ReportingZone,
  ) {}

  @Get('orphan')
  @KeyedOperation({
    id: 'listOrphanVisits',
    summary: 'List the requests that named no short URL, newest first',
    tag: 'Visits',
    query: listOrphanVisitsQuery,
    answer: 'OrphanVisitList',
    problems: ['invalid-data', 'invalid-range'],
  })
  async list(@Query() given: unknown): Promise<{ visits: Page<OrphanVisit> }> {
    const query = parseQuery(listOrphanVisitsQuery, given);
    const asked = { page: query.page, size: pageSize(query.itemsPerPage, 'all') };
    const { visits, total } = await this.log.page({
      ...inclusiveRange(query, this.zone.name),
      type: query.type,
      excludeBots: query.excludeBots,
      page: query.page,
      itemsPerPage: pageWindow(asked).limit,
    });
    return {
      visits: toPage(
        visits.map((orphan) => toOrphanVisit(orphan, this.place.scheme)),
        { ...asked, totalItems: total },
      ),
    };
  }
}
