-- $1 data centre; parallel arrays, one row each: $2 kind, $3 name, $4 class, $5 epoch, $6 p, $7 n, $8 host it counts at here. Each is newer than what
-- is kept of it; what changes goes into the totals of that data centre.
WITH given AS MATERIALIZED (
  SELECT * FROM unnest($2::smallint[], $3::text[], $4::smallint[], $5::bigint[], $6::bigint[], $7::bigint[], $8::integer[])
    AS given (kind, name, class, epoch, p, n, host_id)
), change AS MATERIALIZED (
  SELECT given.kind, given.host_id, given.class, given.p - coalesce(kept.p, 0) AS p, given.n - coalesce(kept.n, 0) AS n, kept.dc IS NULL AS is_new
  FROM given
  LEFT JOIN host_replicas AS kept ON kept.dc = $1 AND kept.kind = given.kind AND kept.name = given.name AND kept.class = given.class
), put AS (
  INSERT INTO host_replicas AS kept (dc, kind, name, class, epoch, p, n, host_id)
  SELECT $1, kind, name, class, epoch, p, n, host_id FROM given ORDER BY 2, 3, 4
  ON CONFLICT (dc, kind, name, class) DO UPDATE SET epoch = excluded.epoch, p = excluded.p, n = excluded.n
), totals AS (
  INSERT INTO host_totals AS totals (kind, host_id, class, dc, p, n, last_bucket)
  SELECT kind, host_id, class, $1, sum(p), sum(n), date_bin('15 minutes', now(), '2000-01-01 00:00:00+00')
  FROM change GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
  ON CONFLICT (kind, host_id, class, dc) DO UPDATE
  SET p = totals.p + excluded.p, n = totals.n + excluded.n, last_bucket = excluded.last_bucket
)
UPDATE host_peers SET replicas = replicas + sums.added, p = host_peers.p + sums.p, n = host_peers.n + sums.n
FROM (SELECT count(*) FILTER (WHERE is_new) AS added, sum(p) AS p, sum(n) AS n FROM change) AS sums
WHERE dc = $1
