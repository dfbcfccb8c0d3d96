import { Controller, Get } from '@nestjs/common';
import type { VisitsOverview } from '@hopcount/contracts';
import { VisitsTotals } from '@hopcount/statistics';

import { restPaths } from '../../http/rest-paths.js';
import { KeyedOperation } from '../../openapi/operation.js';

@Controller(restPaths('visits'))
export class VisitsSummaryController {
  constructor(private readonly totals: VisitsTotals) {}

  @Get()
  @KeyedOperation({
    id: 'getVisitsOverview',
    summary: 'How many visits there are, of all short URLs and orphans',
    description: 'Visits of deleted short URLs stay counted.',
    tag: 'Visits',
    answer: 'VisitsOverview',
    problems: ['malformed-request-body'],
  })
  async overview(): Promise<VisitsOverview> {
    return { visits: await this.totals.read() };
  }
}
