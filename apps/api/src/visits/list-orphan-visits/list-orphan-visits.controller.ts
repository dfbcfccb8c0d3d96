import { Controller, Query } from '@nestjs/common';
import { type OrphanVisitList, orphanVisitListSchema } from '@hopcount/contracts';
import { canonicalAuthority, LinkDirectory } from '@hopcount/links';
import type { Reach } from '@hopcount/runtime';
import { OrphanLog } from '@hopcount/statistics';

import { inclusiveRange } from '../../http/date-range.js';
import { pageSize, pageWindow, toPage } from '../../http/page.js';
import { Operation } from '../../http/operation.js';
import { Reached } from '../../http/reached.js';
import { Settings } from '../../settings.js';
import { type ListOrphanVisitsQuery, listOrphanVisitsQuery } from './list-orphan-visits.query.js';
import { toOrphanVisit } from './to-orphan-visit.js';

@Controller()
export class ListOrphanVisitsController {
  constructor(
    private readonly log: OrphanLog,
    private readonly directory: LinkDirectory,
    private readonly settings: Settings,
  ) {}

  @Operation('GET /rest/v3/visits/orphan', {
    id: 'listOrphanVisits',
    scope: 'statistics:read',
    summary: 'List the requests that named no short URL, newest first',
    tag: 'Visits',
    query: listOrphanVisitsQuery,
    listsAll: true,
    answer: orphanVisitListSchema,
    problems: ['invalid-range', 'invalid-time-zone'],
  })
  async list(@Reached() reach: Reach, @Query() query: ListOrphanVisitsQuery): Promise<OrphanVisitList> {
    const asked = { page: query.page, size: pageSize(query.itemsPerPage, 'all') };
    const { visits, total } = await this.log.page({
      ...inclusiveRange(query, this.settings.reportingTimeZone),
      reach,
      type: query.type,
      domain: query.domain === null ? undefined : await this.#authority(reach, query.domain),
      excludeBots: query.excludeBots,
      page: query.page,
      itemsPerPage: pageWindow(asked).limit,
    });
    return {
      visits: toPage(
        visits.map((orphan) => toOrphanVisit(orphan, this.settings.publicUrl(orphan.domain, orphan.path))),
        { ...asked, totalItems: total },
      ),
    };
  }

  /** As gateways record it: also of domains that nobody filed. */
  async #authority(reach: Reach, domain: string): Promise<string> {
    return (await this.directory.findDomain(reach, domain))?.authority ?? canonicalAuthority(domain) ?? domain;
  }
}
