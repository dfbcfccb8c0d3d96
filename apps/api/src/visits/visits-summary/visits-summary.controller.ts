import { Controller } from '@nestjs/common';
import { type VisitsOverview, visitsOverviewSchema } from '@hopcount/contracts';
import { VisitsTotals } from '@hopcount/statistics';

import { Operation } from '../../http/operation.js';

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
  async overview(): Promise<VisitsOverview> {
    return { visits: await this.totals.read() };
  }
}
