import { toIso } from '../buckets.js';
import type { PreparedSums } from './prepared-visits.js';
import { entry, newList, Sum } from './sum-batch.js';

/** Slots of scope_traffic that partitions add to. */
const PARTITION_SLOTS = 100;
/** One that only purges and rebuilds add to, so that no commit waits for them. */
export const CORRECTIONS_SLOT = 100;

/** What a link's visits count for beside the link; '' where it has none. */
interface LinkScopes {
  domainId: string;
  /** The one its visits of this batch were committed with. */
  groupId: string;
}

interface Part extends LinkScopes {
  bucketMs: number;
  class: number;
  sum: Sum;
}

/** A slot of its own up to 100 partitions, with SLOTS=off too: commits must not wait for each other in the row of all links. */
export function scopeSlot(partition: number): number {
  return partition % PARTITION_SLOTS;
}

/** A batch's sums for all links, their domains and their groups: the parameters of add-scope-traffic.sql, but for the slot. */
export function sumScopes({ linkIds, rows }: PreparedSums, scopesOf: (linkId: string, index: number) => LinkScopes) {
  const parts = new Map<string, Part[]>();
  const scopes = linkIds.map(scopesOf);
  rows.links.forEach((link, index) => {
    const part = partOf(parts, scopes[link]!, rows.bucketsMs[index]!, rows.classes[index]!);
    part.sum.merge({ visits: rows.visits[index]!, hi: rows.his[index]!, lo: rows.los[index]! });
  });
  const sums = new ScopeSums();
  for (const part of [...parts.values()].flat()) {
    sums.add('all', '', part);
    sums.add('domain', part.domainId, part);
    sums.add('group', part.groupId, part);
  }
  return sums.columns();
}

function partOf(parts: Map<string, Part[]>, ofLink: LinkScopes, bucketMs: number, classNumber: number): Part {
  const ofScopes = entry(parts, `${ofLink.domainId} ${ofLink.groupId}`, newList<Part>);
  const found = ofScopes.findLast((part) => part.bucketMs === bucketMs && part.class === classNumber);
  if (found !== undefined) return found;
  const part = { ...ofLink, bucketMs, class: classNumber, sum: new Sum() };
  ofScopes.push(part);
  return part;
}

class ScopeSums {
  readonly #rows = new Map<string, { scope: string; scopeId: string; bucketMs: number; class: number; sum: Sum }>();

  add(scope: string, scopeId: string, { bucketMs, class: classNumber, sum }: Part): void {
    const make = () => ({ scope, scopeId, bucketMs, class: classNumber, sum: new Sum() });
    entry(this.#rows, `${scope} ${bucketMs} ${classNumber} ${scopeId}`, make).sum.merge(sum);
  }

  columns() {
    const rows = [...this.#rows.values()];
    return {
      scopes: rows.map((row) => row.scope),
      scopeIds: rows.map((row) => row.scopeId),
      buckets: rows.map((row) => toIso(row.bucketMs)),
      classes: rows.map((row) => row.class),
      visits: rows.map((row) => row.sum.visits),
      checksums: rows.map((row) => row.sum.checksum),
    };
  }
}
