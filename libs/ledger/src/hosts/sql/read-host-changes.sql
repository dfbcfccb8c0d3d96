-- $1 snapshot of the look before (null: there was none), $2 first cell, $3 how many sums at most. What was committed since, of that cell
-- and later ones, and the snapshot this is of: one statement has one. Whoever commits late is in the next one, whatever id the row has.
SELECT pg_current_snapshot()::text AS snapshot, coalesce((
  SELECT json_agg(json_build_array(kind, host, cell, visits))
  FROM (
    SELECT change.kind, change.host, change.cell, sum(change.p - change.n)::float8 AS visits
    FROM host_changes, unnest(kinds, hosts, cells, p, n) AS change (kind, host, cell, p, n)
    WHERE ($1::pg_snapshot IS NULL
        OR xid >= pg_snapshot_xmin($1::pg_snapshot) AND NOT pg_visible_in_snapshot(xid, $1::pg_snapshot))
      AND change.cell >= $2::integer
    GROUP BY 1, 2, 3
    LIMIT $3
  ) AS sums
), '[]') AS changes
