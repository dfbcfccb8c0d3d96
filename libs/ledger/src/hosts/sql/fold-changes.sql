-- $1 ids of changes. All their names have their places by now: one without would be a null, and refused.
WITH taken AS (
  UPDATE host_changes SET folded_at = clock_timestamp()
  WHERE id = ANY ($1::bigint[]) AND folded_at IS NULL
  RETURNING kinds, hosts, cells, classes, p, n, checksums
), part AS MATERIALIZED (
  SELECT change.kind, change.host, to_timestamp(change.cell / 90 * 900.0) AS bucket, change.class,
    sum(change.p) AS p, sum(change.n) AS n, bit_xor(change.checksum) AS checksum
  FROM taken, unnest(kinds, hosts, cells, classes, p, n, checksums) AS change (kind, host, cell, class, p, n, checksum)
  GROUP BY 1, 2, 3, 4
), place AS MATERIALIZED (
  SELECT name.kind, name.host, hosts.id
  FROM (SELECT DISTINCT kind, host FROM part) AS name
  LEFT JOIN hosts ON hosts.kind = name.kind AND hosts.name = host_place(name.kind, name.host)
), sums AS MATERIALIZED (
  SELECT part.kind, place.id AS host_id, part.bucket, part.class,
    sum(part.p) AS p, sum(part.n) AS n, bit_xor(part.checksum) AS checksum
  FROM part JOIN place USING (kind, host)
  GROUP BY 1, 2, 3, 4
), traffic AS (
  INSERT INTO host_traffic AS traffic (kind, host_id, bucket, class, p, n, checksum)
  SELECT kind, host_id, bucket, class, p, n, checksum FROM sums ORDER BY 1, 2, 3, 4
  ON CONFLICT (kind, host_id, bucket, class, dc) DO UPDATE
  SET p = traffic.p + excluded.p, n = traffic.n + excluded.n, checksum = traffic.checksum # excluded.checksum
), totals AS (
  INSERT INTO host_totals AS totals (kind, host_id, class, p, n, last_bucket)
  SELECT kind, host_id, class, sum(p), sum(n), max(bucket) FROM sums GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
  ON CONFLICT (kind, host_id, class, dc) DO UPDATE
  SET p = totals.p + excluded.p, n = totals.n + excluded.n, last_bucket = greatest(totals.last_bucket, excluded.last_bucket)
)
SELECT count(*)::integer AS rows FROM taken
