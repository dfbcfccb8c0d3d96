import { Controller, Param, Query } from '@nestjs/common';
import { type VisitList, visitListSchema } from '@hopcount/contracts';
import { LinkDirectory } from '@hopcount/links';
import type { Reach } from '@hopcount/runtime';

import { Operation } from '../../http/operation.js';
import { Reached } from '../../http/reached.js';
import { LIST_PROBLEMS, type ListDomainVisitsQuery, listDomainVisitsQuery } from '../list-visits/list-visits.query.js';
import { VisitPages } from '../visit-pages.js';

@Controller()
export class ListDomainVisitsController {
  constructor(
    private readonly directory: LinkDirectory,
    private readonly pages: VisitPages,
  ) {}

  @Operation('GET /rest/v3/domains/:domain/visits', {
    id: 'listDomainVisits',
    scope: 'statistics:read',
    summary: 'List the visits of the short URLs of a domain, newest first',
    description: '`DEFAULT` names the default domain. Visits of deleted short URLs are among them.',
    tag: 'Visits',
    query: listDomainVisitsQuery,
    listsAll: true,
    answer: visitListSchema,
    problems: ['domain-not-found', ...LIST_PROBLEMS],
  })
  async list(
    @Reached() reach: Reach,
    @Param('domain') domain: string,
    @Query() query: ListDomainVisitsQuery,
  ): Promise<VisitList> {
    const { id: domainId } = await this.directory.domain(reach, domain);
    return this.pages.page(reach, { of: 'domain', domainId }, query);
  }
}
