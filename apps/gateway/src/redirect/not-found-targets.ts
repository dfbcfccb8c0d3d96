import type { OrphanVisitType } from '@hopcount/contracts';
import {
  type BlockList,
  type FollowedBlocks,
  type KnownDomains,
  type KnownHosts,
  type NotFoundField,
  type NotFoundRedirects,
  NotFoundTarget,
} from '@hopcount/links';

const FIELDS: Record<Exclude<OrphanVisitType, 'blocked' | 'held_back'>, NotFoundField> = {
  base_url: 'baseUrlRedirect',
  regular_404: 'regular404Redirect',
  invalid_short_url: 'invalidShortUrlRedirect',
};

/** What a visitor of no link may have been after. */
export type NotFoundType = keyof typeof FIELDS;
type Targets = Partial<Record<NotFoundField, NotFoundTarget | undefined>>;

/** Where visitors go who found nothing: as their domain says, else as the settings say; undefined: a page tells them. */
export class NotFoundTargets {
  /** Of the last look at the domains and blocks. */
  #targets = new Map<NotFoundRedirects, Targets>();
  #domains: Readonly<KnownDomains> | undefined;
  #blocks: BlockList | undefined;

  constructor(
    private readonly hosts: Pick<KnownHosts, 'redirectsOf' | 'domains'>,
    private readonly defaults: NotFoundRedirects,
    private readonly known: Pick<FollowedBlocks, 'list'>,
  ) {}

  /** @param path as it was asked for, without the query */
  locationFor(type: NotFoundType, host: string, path: string): string | undefined {
    const field = FIELDS[type];
    const ofDomain = this.hosts.redirectsOf(host);
    const set = ofDomain?.[field] == null ? this.defaults : ofDomain;
    return set[field] === null ? undefined : this.#target(set, field)?.fill(host, path);
  }

  #target(set: NotFoundRedirects, field: NotFoundField): NotFoundTarget | undefined {
    const { domains } = this.hosts;
    const { list: blocks } = this.known;
    if (this.#domains !== domains || this.#blocks !== blocks) {
      this.#domains = domains;
      this.#blocks = blocks;
      this.#targets = new Map();
    }
    let targets = this.#targets.get(set);
    if (targets === undefined) this.#targets.set(set, (targets = {}));
    if (!(field in targets)) {
      const isOwn = (authority: string) => domains.authorities.has(authority) || domains.redirects.has(authority);
      const url = set[field] === null ? null : URL.parse(set[field]);
      // Where a page would have to come first, the one that says that there is nothing is it.
      const isBlocked = url !== null && blocks.onTarget(url) !== undefined;
      targets[field] = isBlocked ? undefined : NotFoundTarget.of(set[field], isOwn);
    }
    return targets[field];
  }
}
