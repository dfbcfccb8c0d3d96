import { Controller, Delete, Param, Query } from '@nestjs/common';
import type { DeletedVisits } from '@hopcount/contracts';
import { LinkStore } from '@hopcount/links';
import { VisitPurger } from '@hopcount/ledger';

import { parseQuery } from '../../http/input.js';
import { restPaths } from '../../http/rest-paths.js';
import { linkQuery } from '../../links/link.query.js';
import { KeyedOperation } from '../../openapi/operation.js';

@Controller(restPaths('short-urls'))
export class PurgeVisitsController {
  constructor(
    private readonly links: LinkStore,
    private readonly purger: VisitPurger,
  ) {}

  @Delete(':code/visits')
  @KeyedOperation({
    id: 'deleteVisits',
    summary: 'Delete the visits of a short URL',
    description:
      'Visits that occurred before this moment are gone for good: none comes back with a late or repeated delivery. ' +
      'When there are too many for one request, the answer is 503 and the deletion goes on by itself.',
    tag: 'Visits',
    hasCode: true,
    query: linkQuery,
    answer: 'DeletedVisits',
    problems: ['invalid-data', 'short-url-not-found', 'purge-unfinished'],
  })
  async purge(@Param('code') code: string, @Query() query: unknown): Promise<DeletedVisits> {
    const { domain } = parseQuery(linkQuery, query);
    const link = await this.links.get(code, domain);
    return { deletedVisits: await this.purger.purge(link.id) };
  }
}
