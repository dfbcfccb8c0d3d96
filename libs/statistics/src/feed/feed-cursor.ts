/**
 * A place in the feed: all that had ended in the snapshot `seen` is behind it. `within`: on the way to the snapshot `until`, event
 * `index` of that row was the last one. As text it is the id of an event, so that any api process goes on from it.
 */
export interface FeedCursor {
  seen: string;
  within?: { until: string; xid: string; id: string; index: number };
}

const SNAPSHOT = String.raw`\d{1,20}:\d{1,20}:[\d,]{0,1500}`;
const CURSOR = new RegExp(`^(${SNAPSHOT})(?:_(${SNAPSHOT})_(\\d{1,18})_(\\d{1,18})_(\\d{1,9}))?$`);

export function formatCursor({ seen, within }: FeedCursor): string {
  return within === undefined ? seen : [seen, within.until, within.xid, within.id, within.index].join('_');
}

/** undefined: no cursor. */
export function parseCursor(text: string): FeedCursor | undefined {
  const [, seen, until, xid, id, index] = CURSOR.exec(text) ?? [];
  if (seen === undefined || !isOrdered(seen)) return undefined;
  if (until === undefined || xid === undefined || id === undefined) return { seen };
  return isOrdered(until) ? { seen, within: { until, xid, id, index: Number(index) } } : undefined;
}

/** As PostgreSQL takes one: xmin ≤ each running transaction < xmax, ascending. */
function isOrdered(snapshot: string): boolean {
  const [xmin = '', xmax = '', running = ''] = snapshot.split(':');
  const ids = running === '' ? [] : running.split(',');
  if ([xmin, xmax, ...ids].some((id) => !/^[1-9]\d*$/.test(id) || BigInt(id) >= 2n ** 63n)) return false;
  const list = ids.map(BigInt);
  const ascends = list.every(
    (id, nth) => id >= BigInt(xmin) && id < BigInt(xmax) && (nth === 0 || id > list[nth - 1]!),
  );
  return BigInt(xmin) <= BigInt(xmax) && ascends;
}
