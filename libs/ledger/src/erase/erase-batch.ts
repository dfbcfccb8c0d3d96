import { type Database, loadSql, type Transaction } from '@hopcount/postgres';

import { BUCKET_MS, toIso } from '../buckets.js';
import { type BucketLoss, portions, takeAway } from '../purge/purge-batch.js';

const DELETE_VISITS = loadSql(import.meta.url, 'sql/delete-visits.sql');
const DELETE_FOLDS = loadSql(import.meta.url, 'sql/delete-folds.sql');
const TAKE_FILED = loadSql(import.meta.url, '../hosts/sql/take-filed.sql');
const CONFLICT_RETRIES = 4;
/** No purge of them begins before the end of the transaction. */
const LOCK_LINKS = 'SELECT id, purged_before FROM links WHERE id = ANY ($1::bigint[]) ORDER BY id FOR SHARE';

export interface FoundVisit {
  link_id: string;
  occurred_at: Date;
  event_id: string;
}

/** What files lose of a link, a bucket, a class, a group and hosts (as visits have them). */
export interface FiledLoss extends BucketLoss {
  linkId: string;
  targetHost: string | null;
  shortHost: string | null;
  referrerHost: string;
}

/** Takes visits of one link out of the ledger and exactly those out of every sum. @returns how many were still there */
export async function eraseSome(
  tx: Transaction,
  linkId: string,
  visits: readonly FoundVisit[],
  hasSlots: boolean,
): Promise<number> {
  const losses = await tx.query<BucketLoss>(DELETE_VISITS, [
    linkId,
    visits.map((visit) => visit.occurred_at.toISOString()),
    visits.map((visit) => visit.event_id),
  ]);
  return losses.length === 0 ? 0 : takeAway(tx, [{ linkId, losses }], hasSlots);
}

/** What a folder that had not seen the erasure left behind: of these, or of all that ended or stood still so many seconds ago. */
export async function deleteErasedFolds(
  database: Database,
  of: { ids: readonly string[] } | { seconds: number },
): Promise<void> {
  const values = 'ids' in of ? [of.ids, null] : [null, of.seconds];
  await database.transaction((tx) => tx.query(DELETE_FOLDS, values), { conflictRetries: CONFLICT_RETRIES });
}

/**
 * Takes out of every sum what a file loses of months that the ledger dropped: part of the transaction that replaces the file.
 * Whole buckets before the purge of their link are not counted any more, or go as a whole.
 * @returns how many visits went
 */
export async function forgetFiled(tx: Transaction, losses: readonly FiledLoss[], hasSlots: boolean): Promise<number> {
  const linkIds = [...new Set(losses.map(({ linkId }) => linkId))].sort((a, b) => Number(BigInt(a) - BigInt(b)));
  const links = await tx.query<{ id: string; purged_before: Date | null }>(LOCK_LINKS, [linkIds]);
  const marks = new Map(links.map((link) => [link.id, link.purged_before?.getTime()]));
  const counted = new Map(linkIds.map((linkId) => [linkId, new Array<FiledLoss>()]));
  const byBucket = (a: FiledLoss, b: FiledLoss) => a.bucket.getTime() - b.bucket.getTime() || a.class - b.class;
  for (const loss of [...losses].sort(byBucket)) {
    const mark = marks.get(loss.linkId) ?? Number.NEGATIVE_INFINITY;
    if (loss.bucket.getTime() + BUCKET_MS > mark) counted.get(loss.linkId)?.push(loss);
  }
  const parts = [...counted]
    .map(([linkId, some]) => ({ linkId, losses: some }))
    .filter(({ losses: some }) => some.length > 0);
  if (parts.length === 0) return 0;
  const gone = await takeAway(tx, parts, hasSlots);
  for (const some of portions(parts.flatMap(({ losses: all }) => all))) {
    await tx.query(TAKE_FILED, [
      some.map((loss) => toIso(loss.bucket.getTime())),
      some.map((loss) => loss.class),
      some.map((loss) => loss.targetHost),
      some.map((loss) => loss.shortHost),
      some.map((loss) => loss.referrerHost),
      some.map((loss) => loss.visits),
      some.map((loss) => loss.checksum),
    ]);
  }
  return gone;
}
