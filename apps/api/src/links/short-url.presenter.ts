import { Injectable } from '@nestjs/common';
import type { ShortUrl, VisitsSummary } from '@hopcount/contracts';
import type { LinkRecord } from '@hopcount/links';
import { Database } from '@hopcount/postgres';
import { visitTotals } from '@hopcount/ledger';

import { formatDate } from '../http/dates.js';
import { Settings } from '../settings.js';

/** A link as clients see it, with its all-time visits. */
@Injectable()
export class ShortUrlPresenter {
  constructor(
    private readonly database: Database,
    private readonly settings: Settings,
  ) {}

  async one(link: LinkRecord): Promise<ShortUrl> {
    const [shortUrl] = await this.many([link]);
    return shortUrl as ShortUrl;
  }

  /** In the order given; one query for the visits of all. */
  async many(links: readonly LinkRecord[]): Promise<ShortUrl[]> {
    const source = this.settings.hasSlots ? 'slots' : 'traffic';
    const totals = await visitTotals(
      this.database,
      links.map((link) => link.id),
      source,
    );
    return links.map((link) => {
      const shortUrl = this.settings.publicUrl(link.domain, `/${link.code}`);
      return toShortUrl(link, totals.get(link.id) ?? NO_VISITS, shortUrl);
    });
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
    meta: {
      validSince: link.validSince && formatDate(link.validSince),
      validUntil: link.validUntil && formatDate(link.validUntil),
      maxVisits: link.maxVisits,
    },
    domain: link.isDefaultDomain ? null : link.domain,
    title: link.title,
    crawlable: link.crawlable,
    forwardQuery: link.forwardQuery,
    visitsSummary,
    hasRedirectRules: false,
    id: link.id,
    groupId: link.groupId,
    disabled: link.disabled,
    expiredUrl: link.expiredUrl,
    extraPath: link.extraPath,
    redirectStatus: link.redirectStatus ?? 302,
  };
}
