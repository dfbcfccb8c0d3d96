import { Controller, Param, Query } from '@nestjs/common';
import { type VisitList, visitListSchema } from '@hopcount/contracts';
import { LinkStore } from '@hopcount/links';
import type { Reach } from '@hopcount/runtime';

import { Operation } from '../../http/operation.js';
import { Reached } from '../../http/reached.js';
import { VisitPages } from '../visit-pages.js';
import { LIST_PROBLEMS, type ListVisitsQuery, listVisitsQuery } from './list-visits.query.js';

@Controller()
export class ListVisitsController {
  constructor(
    private readonly links: LinkStore,
    private readonly pages: VisitPages,
  ) {}

  @Operation('GET /rest/v3/short-urls/:code/visits', {
    id: 'listVisits',
    scope: 'statistics:read',
    summary: 'List the visits of a short URL, newest first',
    tag: 'Visits',
    query: listVisitsQuery,
    listsAll: true,
    answer: visitListSchema,
    problems: ['short-url-not-found', ...LIST_PROBLEMS],
  })
  async listVisits(
    @Reached() reach: Reach,
    @Param('code') code: string,
    @Query() query: ListVisitsQuery,
  ): Promise<VisitList> {
    const link = await this.links.get(reach, code, query.domain);
    return this.pages.page(reach, { of: 'link', linkId: link.id }, query);
  }
}
