import { AppError } from './app-error.js';

/** A key as far as it says what may be reached with it. */
interface ReachOfKey {
  keyId: number;
  /** Only links that it created. */
  authoredOnly: boolean;
  /** Only links of this domain; null: of any. */
  domain: { id: number; authority: string } | null;
  noOrphanVisits: boolean;
}

/**
 * What of all there is somebody may see and change. The guard of the api makes it of the key that asks; everything that reads or
 * changes links, tags, domains, groups and visits takes it as its first parameter, so none can forget it. In SQL it is the function
 * `within_reach` (migration 0018) with `values` as its last two arguments; what is beyond it is not there.
 */
export class Reach {
  /** Of operators' commands and of jobs. */
  static readonly everything = new Reach(null, null, null, true);

  private constructor(
    /** The author of links created with it; null: nobody's key. */
    readonly keyId: number | null,
    private readonly author: number | null,
    /** The only one, which links created with it are on. */
    readonly domain: { id: number; authority: string } | null,
    readonly hasOrphans: boolean,
  ) {}

  static of({ keyId, authoredOnly, domain, noOrphanVisits }: ReachOfKey): Reach {
    return new Reach(keyId, authoredOnly ? keyId : null, domain, !noOrphanVisits);
  }

  /** Whether all links are in it, and with them the tags, groups and domains that they share. */
  get isWhole(): boolean {
    return this.author === null && this.domain === null;
  }

  /** For SQL: the only author and the only domain, null: any. */
  get values(): [author: number | null, domainId: number | null] {
    return [this.author, this.domain?.id ?? null];
  }

  /** The same where a statement takes no parameters. */
  get literals(): string {
    return this.values.map((id) => id ?? 'NULL').join(', ');
  }

  get isAuthored(): boolean {
    return this.author !== null;
  }

  /** What the SQL function says, of a link that is at hand. */
  holds(link: { authorKeyId: number | null; domain: string }): boolean {
    if (this.author !== null && link.authorKeyId !== this.author) return false;
    return this.domain === null || link.domain === this.domain.authority;
  }

  /** Orphan visits have no author: whoever may see any sees those of the domains that are reached. */
  holdsOrphan(domain: string): boolean {
    return this.hasOrphans && (this.domain === null || domain === this.domain.authority);
  }

  /** For what is everybody's. @throws AppError `beyond-role` */
  expectWhole(what: string): void {
    if (this.isWhole) return;
    throw new AppError('beyond-role', `This API key reaches some links only, so it may not ${what}.`);
  }
}
