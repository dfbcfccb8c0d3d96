import { Injectable } from '@nestjs/common';
import { LinkDirectory } from '@hopcount/links';
import { type FeedEvent, VisitFeed } from '@hopcount/statistics';

import { ShortUrlPresenter } from '../links/short-url.presenter.js';
import { Settings } from '../settings.js';
import { toOrphanVisit } from '../visits/list-orphan-visits/to-orphan-visit.js';
import { toVisit } from '../visits/list-visits/to-visit.js';
import type { LiveMessage } from './live-stream.js';
import type { LiveTopics } from './live-topics.js';

/** Events as clients see them: a few statements for any number of visits and readers. */
@Injectable()
export class LiveMessages {
  constructor(
    private readonly feed: VisitFeed,
    private readonly directory: LinkDirectory,
    private readonly presenter: ShortUrlPresenter,
    private readonly settings: Settings,
  ) {}

  /** Of what somebody follows; visits that are gone meanwhile are left out. */
  async of(events: readonly FeedEvent[], followed: readonly LiveTopics[]): Promise<LiveMessage[]> {
    const wanted = await this.#wanted(events, followed);
    const orphans = await this.#orphans(wanted.filter(({ linkId }) => linkId === null));
    const visits = await this.#visits(wanted.filter(({ linkId }) => linkId !== null));
    return wanted.flatMap(({ eventId, cursor }) => {
      const content = orphans.get(eventId) ?? visits.get(eventId);
      return content === undefined ? [] : [{ cursor, ...content }];
    });
  }

  async #wanted(events: readonly FeedEvent[], followed: readonly LiveTopics[]): Promise<FeedEvent[]> {
    const isAny = (topic: 'visits' | 'orphans') => followed.some((topics) => topics[topic]);
    const [visits, orphans] = [isAny('visits'), isAny('orphans')];
    const codes = visits ? [] : followed.flatMap((topics) => [...topics.codes]);
    const links = new Set(codes.length === 0 ? [] : await this.directory.linkIds(codes));
    return events.filter(({ linkId }) => (linkId === null ? orphans : visits || links.has(linkId)));
  }

  async #orphans(events: readonly FeedEvent[]): Promise<Map<string, Omit<LiveMessage, 'cursor'>>> {
    if (events.length === 0) return new Map();
    return mapValues(await this.feed.orphans(events), (orphan) => {
      const visit = toOrphanVisit(orphan, this.settings.publicUrl(orphan.domain, orphan.path));
      return { link: undefined, domain: orphan.domain, data: JSON.stringify({ visit }) };
    });
  }

  async #visits(events: readonly FeedEvent[]): Promise<Map<string, Omit<LiveMessage, 'cursor'>>> {
    if (events.length === 0) return new Map();
    const visits = await this.feed.visits(events);
    const links = await this.directory.links([...new Set([...visits.values()].map(({ linkId }) => linkId))]);
    const byId = new Map(links.map((link) => [link.id, link]));
    const shortUrls = new Map((await this.presenter.many(links)).map((shortUrl) => [shortUrl.id, shortUrl]));
    return mapValues(visits, (visit) => {
      const shortUrl = shortUrls.get(visit.linkId);
      const link = byId.get(visit.linkId);
      if (shortUrl === undefined || link === undefined) return undefined;
      const data = JSON.stringify({ shortUrl, visit: toVisit(visit, shortUrl.shortUrl) });
      return { link, domain: link.domain, data };
    });
  }
}

function mapValues<From, To>(map: Map<string, From>, change: (value: From) => To | undefined): Map<string, To> {
  const changed = new Map<string, To>();
  for (const [key, value] of map) {
    const to = change(value);
    if (to !== undefined) changed.set(key, to);
  }
  return changed;
}
