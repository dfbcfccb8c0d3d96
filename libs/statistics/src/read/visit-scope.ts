import { loadSql, type Transaction } from '@hopcount/postgres';
import { BUCKET_MS, bucketOf, type InstantRange, toIso } from '@hopcount/ledger';

const BUSY_LINKS = loadSql(import.meta.url, 'sql/busy-links.sql');
const TAGGED_LINKS = `SELECT coalesce(array_agg(links.id), '{}') AS link_ids
  FROM link_tags JOIN links ON links.id = link_tags.link_id
  WHERE link_tags.tag_id = $1 AND ($2::integer IS NULL OR links.domain_id = $2)`;

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
    private readonly scope: VisitScope,
    /** undefined: its buckets are in scope_traffic. */
    private readonly linkIds: readonly string[] | undefined,
  ) {}

  static async open(tx: Transaction, scope: VisitScope): Promise<ScopeTables> {
    if (scope.of === 'link') return new ScopeTables(tx, scope, [scope.linkId]);
    if (scope.of !== 'tag') return new ScopeTables(tx, scope, undefined);
    const [row] = await tx.query<{ link_ids: string[] }>(TAGGED_LINKS, [scope.tagId, scope.domainId ?? null]);
    return new ScopeTables(tx, scope, row?.link_ids ?? []);
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
