import { loadSql, type Transaction } from '@hopcount/postgres';
import type { Reach } from '@hopcount/runtime';
import { BUCKET_MS, bucketOf, type InstantRange, toIso } from '@hopcount/ledger';

const BUSY_LINKS = loadSql(import.meta.url, 'sql/busy-links.sql');
const TAGGED_LINKS = `SELECT coalesce(array_agg(links.id), '{}') AS link_ids
  FROM link_tags JOIN links ON links.id = link_tags.link_id
  WHERE link_tags.tag_id = $1 AND ($2::integer IS NULL OR links.domain_id = $2)
    AND within_reach(links.author_key_id, links.domain_id, links.group_id, $3, $4, $5)`;
const REACHED_LINKS = `SELECT coalesce(array_agg(id), '{}') AS link_ids
  FROM links
  WHERE ($1::integer IS NULL OR domain_id = $1) AND within_reach(author_key_id, domain_id, group_id, $2, $3, $4)`;

/** Whose visits are asked for. Those of deleted links stay visits of their tags, their domain and of all. */
export type VisitScope =
  | { of: 'all' }
  | { of: 'domain'; domainId: number }
  | { of: 'tag'; tagId: number; domainId?: number | undefined }
  | { of: 'link'; linkId: string };

/** Links in times in which they were visited; parallel. */
export interface BusyLinks {
  linkIds: string[];
  ranges: InstantRange[];
}

/** A scope as tables know it, under one snapshot. */
export class ScopeTables {
  private constructor(
    private readonly tx: Transaction,
    private readonly scope: VisitScope | { of: 'links' },
    /** undefined: its buckets are in scope_traffic. */
    private readonly linkIds: readonly string[] | undefined,
  ) {}

  /** The link of a scope was found by the same reach. */
  static async open(tx: Transaction, reach: Reach, scope: VisitScope): Promise<ScopeTables> {
    if (scope.of === 'link') return new ScopeTables(tx, scope, [scope.linkId]);
    if (scope.of === 'tag') {
      const values = [scope.tagId, scope.domainId ?? null, ...reach.values];
      return new ScopeTables(tx, { of: 'links' }, await idsOf(tx, TAGGED_LINKS, values));
    }
    if (reach.isWhole) return new ScopeTables(tx, scope, undefined);
    const { domain, isAuthored } = reach;
    // A key of one domain, asking for all it reaches: that is in scope_traffic as well.
    if (!isAuthored && domain !== null && (scope.of === 'all' || scope.domainId === domain.id)) {
      return new ScopeTables(tx, { of: 'domain', domainId: domain.id }, undefined);
    }
    const domainId = scope.of === 'domain' ? scope.domainId : null;
    return new ScopeTables(tx, { of: 'links' }, await reachedLinks(tx, reach, domainId));
  }

  /** Parameters that say where its buckets are: scope, its id, links. */
  get buckets(): [string | null, string | null, readonly string[]] {
    if (this.linkIds !== undefined) return [null, null, this.linkIds];
    return [this.scope.of, this.scope.of === 'domain' ? String(this.scope.domainId) : '', []];
  }

  /** One link, or all: its visits have an order in an index. undefined: `busyLinks` have to be asked. */
  get ordered(): { linkId: string | null } | undefined {
    if (this.scope.of === 'all') return { linkId: null };
    return this.scope.of === 'link' ? this.scope : undefined;
  }

  /** As many as there are visits in these buckets, at most. */
  async busyLinks(range: InstantRange): Promise<BusyLinks> {
    const domainId = this.scope.of === 'domain' ? this.scope.domainId : null;
    const values = [domainId, this.linkIds ?? [], toIso(bucketOf(range.from)), toIso(range.to)];
    const [row] = await this.tx.query<{ link_ids: string[]; buckets: Date[] }>(BUSY_LINKS, values);
    const ranges = (row?.buckets ?? []).map((bucket) => ({
      from: Math.max(range.from, bucket.getTime()),
      to: Math.min(range.to, bucket.getTime() + BUCKET_MS),
    }));
    return { linkIds: row?.link_ids ?? [], ranges };
  }
}

/** Deleted ones too. @param domainId only of this domain; null: of any */
export function reachedLinks(tx: Transaction, reach: Reach, domainId: number | null): Promise<string[]> {
  return idsOf(tx, REACHED_LINKS, [domainId, ...reach.values]);
}

async function idsOf(tx: Transaction, statement: string, values: unknown[]): Promise<string[]> {
  const [row] = await tx.query<{ link_ids: string[] }>(statement, values);
  return row?.link_ids ?? [];
}
