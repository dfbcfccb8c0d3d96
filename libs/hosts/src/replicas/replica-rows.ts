/**
 * What one data centre counted of a key (kind, host by name, bucket, class): visits and those taken back again, both only grow (a
 * PN-counter: Shapiro, Preguiça, Baquero, Zawirski, "A comprehensive study of Convergent and Commutative Replicated Data
 * Types", 2011, 3.1.3). Only that data centre writes it; the others hold copies, which messages bring lost, twice and in any order.
 * Such a counter counts nothing once by itself: the ledger before it does.
 */
export interface ReplicaRow {
  /** Of the data centre's database. Numbers of a later one count, also when they are smaller. */
  epoch: number;
  p: number;
  n: number;
}

/** Whether a copy is replaced. In an epoch p and n only grow, so of two states the one with the larger sum is the later. */
export function isNewer(one: ReplicaRow, kept: ReplicaRow | undefined): boolean {
  if (kept === undefined || one.epoch !== kept.epoch) return kept === undefined || one.epoch > kept.epoch;
  return one.p + one.n > kept.p + kept.n;
}

/**
 * What a data centre does before it publishes, each time it starts: its own database may have been restored from a backup, and
 * then peers hold numbers it no longer has. Only what it published itself tells; the restored database does not know of it.
 * @param own its rows, by key
 * @param published its rows as the compacted topic has them
 * @returns undefined: nothing was lost, and it goes on in its epoch. Else the rows to keep and to publish in a new one: all its own,
 * and nothing for each key it has no row of
 */
export function rowsAfterLoss(
  own: ReadonlyMap<string, ReplicaRow>,
  published: ReadonlyMap<string, ReplicaRow>,
): Map<string, ReplicaRow> | undefined {
  const isLost = [...published].some(([key, row]) => isNewer(row, own.get(key)));
  if (!isLost) return undefined;
  let highest = 0;
  for (const rows of [own, published]) for (const { epoch } of rows.values()) highest = Math.max(highest, epoch);
  const rows = new Map<string, ReplicaRow>();
  for (const key of published.keys()) rows.set(key, { epoch: highest + 1, p: 0, n: 0 });
  for (const [key, { p, n }] of own) rows.set(key, { epoch: highest + 1, p, n });
  return rows;
}
