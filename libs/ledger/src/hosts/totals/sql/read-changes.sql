-- $1 snapshot of the look before, $2 how many sums at most. What was committed since, as read-host-changes.sql, by class.
SELECT change.kind, change.host AS name, change.class, sum(change.p - change.n)::float8 AS visits
FROM host_changes, unnest(kinds, hosts, classes, p, n) AS change (kind, host, class, p, n)
WHERE xid >= pg_snapshot_xmin($1::pg_snapshot) AND NOT pg_visible_in_snapshot(xid, $1::pg_snapshot)
GROUP BY 1, 2, 3
LIMIT $2
