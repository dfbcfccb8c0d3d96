-- $1 snapshot of the look before (null: there was none). This snapshot; whether data centres add up their counts; and whether totals were put right since
-- in another way than by changes, of which a row without entries tells.
SELECT pg_current_snapshot()::text AS snapshot, now() AS "asOf",
  EXISTS (SELECT FROM host_datacenter) OR EXISTS (SELECT FROM host_peers) AS "hasPeers",
  EXISTS (
    SELECT FROM host_changes
    WHERE entries = 0 AND xid >= pg_snapshot_xmin($1::pg_snapshot) AND NOT pg_visible_in_snapshot(xid, $1::pg_snapshot)
  ) AS "isPutRight"
