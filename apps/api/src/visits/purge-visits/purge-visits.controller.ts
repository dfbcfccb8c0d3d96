import { Controller, Param, Query } from '@nestjs/common';
import { type DeletedVisits, deletedVisitsSchema } from '@hopcount/contracts';
import { LinkStore } from '@hopcount/links';
import { VisitPurger } from '@hopcount/ledger';
import { isAppError, type Reach } from '@hopcount/runtime';

import { type LinkQuery, linkQuery } from '../../links/link.query.js';
import { Operation } from '../../http/operation.js';
import { Reached } from '../../http/reached.js';

@Controller()
export class PurgeVisitsController {
  constructor(
    private readonly links: LinkStore,
    private readonly purger: VisitPurger,
  ) {}

  @Operation('DELETE /rest/v3/short-urls/:code/visits', {
    id: 'deleteVisits',
    scope: 'visits:purge',
    summary: 'Delete the visits of a short URL',
    description:
      'Visits that occurred before this moment are gone for good: none comes back with a late or repeated delivery. ' +
      'When there are too many for one request, the answer is 503 and the deletion goes on by itself.',
    tag: 'Visits',
    query: linkQuery,
    answer: deletedVisitsSchema,
    problems: ['short-url-not-found', 'purge-unfinished'],
  })
  async purge(
    @Reached() reach: Reach,
    @Param('code') code: string,
    @Query() { domain }: LinkQuery,
  ): Promise<DeletedVisits> {
    const link = await this.links.get(reach, code, domain);
    try {
      return { deletedVisits: await this.purger.purge(link.id, { reach }) };
    } catch (error) {
      // It left the reach since it was found.
      throw isAppError(error, 'short-url-not-found') ? this.links.notFound(code, domain) : error;
    }
  }
}
