import { Injectable } from '@nestjs/common';
import type { ShortUrl, VisitsSummary } from '@hopcount/contracts';
import type { LinkRecord } from '@hopcount/links';

import { formatDate } from '../http/dates.js';
import { LinkVisits } from './link-visits.js';
import { PublicPlace } from './public-place.js';

/** A link as clients see it, with its all-time visits. */
@Injectable()
export class ShortUrlPresenter {
  constructor(
    private readonly visits: LinkVisits,
    private readonly place: PublicPlace,
  ) {}

  async one(link: LinkRecord): Promise<ShortUrl> {
    const [shortUrl] = await this.many([link]);
    return shortUrl as ShortUrl;
  }

  /** In the order given; one query for the visits of all. */
  async many(links: readonly LinkRecord[]): Promise<ShortUrl[]> {
    const totals = await this.visits.totals(links.map((link) => link.id));
    return links.map((link) => toShortUrl(link, totals.get(link.id) ?? NO_VISITS, this.place.shortUrl(link)));
  }
}

const NO_VISITS: VisitsSummary = { total: 0, nonBots: 0, bots: 0 };

export function toShortUrl(link: LinkRecord, visitsSummary: VisitsSummary, shortUrl: string): ShortUrl {
  return {
    shortUrl,
    shortCode: link.code,
    longUrl: link.longUrl,
    dateCreated: formatDate(link.createdAt),
    tags: link.tags,
    meta: { validSince: null, validUntil: null, maxVisits: null },
    domain: link.isDefaultDomain ? null : link.domain,
    title: link.title,
    crawlable: false,
    forwardQuery: true,
    visitsSummary,
    hasRedirectRules: false,
    id: link.id,
    groupId: link.groupId,
  };
}
