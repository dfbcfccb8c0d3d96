import { Controller } from '@nestjs/common';
import { type VisitsOverview, visitsOverviewSchema } from '@hopcount/contracts';
import type { Reach } from '@hopcount/runtime';
import { VisitsTotals } from '@hopcount/statistics';

import { Operation } from '../../http/operation.js';
import { Reached } from '../../http/reached.js';

@Controller()
export class VisitsSummaryController {
  constructor(private readonly totals: VisitsTotals) {}

  @Operation('GET /rest/v3/visits', {
    id: 'getVisitsOverview',
    scope: 'statistics:read',
    summary: 'How many visits there are, of all short URLs and orphans',
    description: 'Visits of deleted short URLs stay counted.',
    tag: 'Visits',
    answer: visitsOverviewSchema,
  })
  async overview(@Reached() reach: Reach): Promise<VisitsOverview> {
    return { visits: await this.totals.read(reach) };
  }
}
