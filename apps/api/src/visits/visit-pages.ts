import { Injectable } from '@nestjs/common';
import type { VisitList } from '@hopcount/contracts';
import { LinkDirectory } from '@hopcount/links';
import type { Reach } from '@hopcount/runtime';
import { VisitLog, type VisitScope } from '@hopcount/statistics';

import { inclusiveRange } from '../http/date-range.js';
import { pageSize, pageWindow, toPage } from '../http/page.js';
import { Settings } from '../settings.js';
import type { ListVisitsQuery } from './list-visits/list-visits.query.js';
import { toVisit } from './list-visits/to-visit.js';

/** The visits of a link, a tag, a domain or of all links, as clients page through them. */
@Injectable()
export class VisitPages {
  constructor(
    private readonly log: VisitLog,
    private readonly directory: LinkDirectory,
    private readonly settings: Settings,
  ) {}

  /**
   * @param scope undefined: no link is meant, as on a domain nobody knows
   * @throws AppError `invalid-range`, `invalid-time-zone`, `archive-question-too-large`, `archive-unreadable`
   */
  async page(reach: Reach, scope: VisitScope | undefined, query: Omit<ListVisitsQuery, 'domain'>): Promise<VisitList> {
    const range = inclusiveRange(query, this.settings.reportingTimeZone);
    const asked = { page: query.page, size: pageSize(query.itemsPerPage, 'all') };
    const { excludeBots, page } = query;
    const window = { ...range, excludeBots, page, itemsPerPage: pageWindow(asked).limit };
    const { visits, total } = scope === undefined ? NO_VISITS : await this.log.page({ reach, scope, ...window });
    const addresses = await this.directory.addresses([...new Set(visits.map(({ linkId }) => linkId))]);
    const urlOf = (linkId: string) => {
      const address = addresses.get(linkId);
      return address === undefined ? null : this.settings.publicUrl(address.domain, `/${address.code}`);
    };
    const data = visits.map((visit) => toVisit(visit, urlOf(visit.linkId)));
    return { visits: toPage(data, { ...asked, totalItems: total }) };
  }

  /** The links of a domain by its name, of all domains without one; undefined where nobody knows it. */
  async onDomain(reach: Reach, domain: string | null): Promise<VisitScope | undefined> {
    if (domain === null) return { of: 'all' };
    const found = await this.directory.findDomain(reach, domain);
    return found === undefined ? undefined : { of: 'domain', domainId: found.id };
  }
}

const NO_VISITS = { visits: [], total: 0 };
