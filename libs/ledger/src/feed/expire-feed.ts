import type { Database } from '@hopcount/postgres';

/** How long who lost a connection may take to go on where it ended. */
export const FEED_KEPT_MINUTES = 10;

const EXPIRE = `WITH gone AS (DELETE FROM visit_feed WHERE at < now() - make_interval(mins => $1) RETURNING xid)
UPDATE visit_feed_state SET gone_through = greatest(gone_through, (SELECT xid FROM gone ORDER BY xid DESC LIMIT 1))
WHERE EXISTS (SELECT FROM gone)`;

/** Deletes what is older than anybody may ask for, and notes that it is gone. */
export async function expireFeed(database: Database): Promise<void> {
  await database.execute(EXPIRE, [FEED_KEPT_MINUTES]);
}
