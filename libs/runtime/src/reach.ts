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

/** For SQL: the only author, the only domain, the only groups; null: any. */
type ReachValues = [author: number | null, domainId: number | null, groups: readonly string[] | null];

/**
 * What of all there is somebody may see and change. The guard of the api makes it of who asks; everything that reads or
 * changes links, tags, domains, groups and visits takes it as its first parameter, so none can forget it. In SQL it is the function
 * `within_reach` (migration 0020) with `values` as its last three arguments; what is beyond it is not there.
 */
export class Reach {
  /** Of operators' commands, of jobs, and of users whose role is of everything. */
  static readonly everything = new Reach(null, null, null, true, null);

  private constructor(
    /** The author of links created with it; null: nobody's key. */
    readonly keyId: number | null,
    private readonly author: number | null,
    /** The only one, which links created with it are on. */
    readonly domain: { id: number; authority: string } | null,
    readonly hasOrphans: boolean,
    /** The only ones, in order; links created with it are in one of them. */
    readonly groups: readonly string[] | null,
  ) {}

  static of({ keyId, authoredOnly, domain, noOrphanVisits }: ReachOfKey): Reach {
    return new Reach(keyId, authoredOnly ? keyId : null, domain, !noOrphanVisits, null);
  }

  /** Links of some groups, and no orphan visits, which are of none. */
  static ofGroups(groups: readonly string[]): Reach {
    return new Reach(null, null, null, false, [...groups].sort());
  }

  /** Whether all links are in it, and with them the tags, groups and domains that they share. */
  get isWhole(): boolean {
    return this.author === null && this.domain === null && this.groups === null;
  }

  get values(): ReachValues {
    return [this.author, this.domain?.id ?? null, this.groups];
  }

  /** The same where a statement takes no parameters. */
  get literals(): string {
    const groups = this.groups?.map((id) => `'${id.replaceAll("'", "''")}'`);
    const ids = [this.author, this.domain?.id].map((id) => id ?? 'NULL');
    return [...ids, groups === undefined ? 'NULL' : `ARRAY[${groups.join()}]::text[]`].join(', ');
  }

  get isAuthored(): boolean {
    return this.author !== null;
  }

  /** What the SQL function says, of a link that is at hand. */
  holds(link: { authorKeyId: number | null; domain: string; groupId: string | null }): boolean {
    if (this.author !== null && link.authorKeyId !== this.author) return false;
    if (this.groups !== null && !this.holdsGroup(link.groupId)) return false;
    return this.domain === null || link.domain === this.domain.authority;
  }

  /** Whether the group is one of the only ones; null: no group. */
  holdsGroup(id: string | null): boolean {
    return id !== null && this.groups?.includes(id) === true;
  }

  /** Orphan visits have no author: whoever may see any sees those of the domains that are reached. */
  holdsOrphan(domain: string): boolean {
    return this.hasOrphans && (this.domain === null || domain === this.domain.authority);
  }

  /** Whether it is the same for the same person as before. */
  equals(other: Reach): boolean {
    return this.literals === other.literals && this.hasOrphans === other.hasOrphans;
  }

  /** For what is everybody's. @throws AppError `beyond-role` */
  expectWhole(what: string): void {
    if (this.isWhole) return;
    const who =
      this.groups === null ? 'This API key reaches some links only, so it' : 'You reach some groups only, so you';
    throw new AppError('beyond-role', `${who} may not ${what}.`);
  }
}
