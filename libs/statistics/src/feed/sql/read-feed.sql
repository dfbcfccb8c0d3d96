-- $1 snapshot that was seen, $2 snapshot to read up to (null: now), $3/$4 row to begin with, $5 rows.
-- Rows of transactions that had not ended in the first and had in the second, in one order, however often it is asked.
WITH until AS (
  SELECT coalesce($2::pg_snapshot, pg_current_snapshot()) AS snapshot
)
SELECT until.snapshot::text AS until, feed.xid::text AS xid, feed.id::text AS id, feed.event_ids, feed.link_ids
FROM until
LEFT JOIN LATERAL (
  SELECT xid, id, event_ids, link_ids
  FROM visit_feed
  WHERE xid >= pg_snapshot_xmin($1::pg_snapshot)
    AND NOT pg_visible_in_snapshot(xid, $1::pg_snapshot)
    AND pg_visible_in_snapshot(xid, until.snapshot)
    AND (xid, id) >= ($3::xid8, $4::bigint)
  ORDER BY xid, id
  LIMIT $5
) AS feed ON true
ORDER BY feed.xid, feed.id
