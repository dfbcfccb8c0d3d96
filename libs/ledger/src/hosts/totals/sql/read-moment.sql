-- $1 snapshot of the look before (null: there was none), $2 the ledger's incarnation then. This snapshot and incarnation; whether sums of
-- hosts are right as far as is known (peers say it of theirs); whether data centres add up their
-- counts; and whether changes since do not lead here: totals were put right in another way, of which a row without entries tells, or the database is an
-- earlier state of itself (a backup, a replica without the last commits), which a new incarnation tells, or transaction ids that went back.
SELECT pg_current_snapshot()::text AS snapshot, now() AS "asOf", (SELECT incarnation::text FROM ledger_incarnation) AS incarnation,
  own_host_sums_are_exact() AND NOT EXISTS (SELECT FROM host_peers WHERE NOT is_attributed) AS "isAttributed",
  EXISTS (SELECT FROM host_datacenter) OR EXISTS (SELECT FROM host_peers) AS "hasPeers",
  $2 <> (SELECT incarnation::text FROM ledger_incarnation) OR pg_snapshot_xmax(pg_current_snapshot()) < pg_snapshot_xmax($1::pg_snapshot)
  OR EXISTS (
    SELECT FROM host_changes
    WHERE entries = 0 AND xid >= pg_snapshot_xmin($1::pg_snapshot) AND NOT pg_visible_in_snapshot(xid, $1::pg_snapshot)
  ) AS "isPutRight"
