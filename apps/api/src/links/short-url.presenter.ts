import { Injectable } from '@nestjs/common';
import type { ShortUrl, VisitsSummary } from '@hopcount/contracts';
import type { LinkRecord } from '@hopcount/links';
import { Database, type Queryable } from '@hopcount/postgres';
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
  async many(links: readonly LinkRecord[], queryable: Queryable = this.database): Promise<ShortUrl[]> {
    const source = this.settings.hasSlots ? 'slots' : 'traffic';
    const totals = await visitTotals(
      queryable,
      links.map((link) => link.id),
      source,
    );
    return links.map((link) => this.#present(link, totals.get(link.id)));
  }

  /** Links that were created, or found instead, also as their transaction sees them; those that are new have no visits. */
  async created(
    links: readonly { link: LinkRecord; isNew: boolean }[],
    tx: Queryable = this.database,
  ): Promise<ShortUrl[]> {
    const existing = links.filter(({ isNew }) => !isNew).map(({ link }) => link);
    const found = new Map((await this.many(existing, tx)).map((shortUrl) => [shortUrl.id, shortUrl]));
    return links.map(({ link }) => found.get(link.id) ?? this.#present(link));
  }

  #present(link: LinkRecord, visits = NO_VISITS): ShortUrl {
    return toShortUrl(link, visits, this.settings.publicUrl(link.domain, `/${link.code}`));
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
    hasRedirectRules: link.hasRedirectRules,
    warn: link.warn,
    hasPassword: link.hasPassword,
    id: link.id,
    groupId: link.groupId,
    disabled: link.disabled,
    expiredUrl: link.expiredUrl,
    extraPath: link.extraPath,
    redirectStatus: link.redirectStatus ?? 302,
    note: link.note,
  };
}
