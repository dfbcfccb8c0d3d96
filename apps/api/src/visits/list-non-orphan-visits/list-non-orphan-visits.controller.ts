import { Controller, Query } from '@nestjs/common';
import { type VisitList, visitListSchema } from '@hopcount/contracts';
import type { Reach } from '@hopcount/runtime';

import { Operation } from '../../http/operation.js';
import { Reached } from '../../http/reached.js';
import { LIST_PROBLEMS, type ListVisitsQuery, listVisitsQuery } from '../list-visits/list-visits.query.js';
import { VisitPages } from '../visit-pages.js';

@Controller()
export class ListNonOrphanVisitsController {
  constructor(private readonly pages: VisitPages) {}

  @Operation('GET /rest/v3/visits/non-orphan', {
    id: 'listNonOrphanVisits',
    scope: 'statistics:read',
    summary: 'List the visits of all short URLs, newest first',
    description: 'As many as `GET /rest/v3/visits` counts: visits of deleted short URLs are among them.',
    tag: 'Visits',
    query: listVisitsQuery,
    listsAll: true,
    answer: visitListSchema,
    problems: LIST_PROBLEMS,
  })
  async list(@Reached() reach: Reach, @Query() query: ListVisitsQuery): Promise<VisitList> {
    return this.pages.page(reach, await this.pages.onDomain(reach, query.domain), query);
  }
}
