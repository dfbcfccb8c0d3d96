import { Controller, Param, Query } from '@nestjs/common';
import { type VisitList, visitListSchema } from '@hopcount/contracts';
import { LinkDirectory } from '@hopcount/links';
import type { Reach } from '@hopcount/runtime';

import { Operation } from '../../http/operation.js';
import { Reached } from '../../http/reached.js';
import { LIST_PROBLEMS, type ListVisitsQuery, listVisitsQuery } from '../list-visits/list-visits.query.js';
import { VisitPages } from '../visit-pages.js';

@Controller()
export class ListTagVisitsController {
  constructor(
    private readonly directory: LinkDirectory,
    private readonly pages: VisitPages,
  ) {}

  @Operation('GET /rest/v3/tags/:tag/visits', {
    id: 'listTagVisits',
    scope: 'statistics:read',
    summary: 'List the visits of the short URLs with a tag, newest first',
    description: 'Of those that have the tag now, with all visits they ever had; deleted ones are among them.',
    tag: 'Visits',
    query: listVisitsQuery,
    listsAll: true,
    answer: visitListSchema,
    problems: ['tag-not-found', ...LIST_PROBLEMS],
  })
  async list(@Reached() reach: Reach, @Param('tag') tag: string, @Query() query: ListVisitsQuery): Promise<VisitList> {
    const tagId = await this.directory.tagId(reach, tag);
    const links = await this.pages.onDomain(reach, query.domain);
    const domainId = links?.of === 'domain' ? links.domainId : undefined;
    return this.pages.page(reach, links === undefined ? undefined : { of: 'tag', tagId, domainId }, query);
  }
}
