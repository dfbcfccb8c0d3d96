-- $1 id behind which hosts are looked at, $2 how many, $3 days. Quarters of those without visits for so long go to quiet_host_traffic, in one
-- statement: they are here or there. What is counted of them later stays here, beside it.
WITH looked AS MATERIALIZED (
  SELECT id, kind FROM hosts WHERE id > $1 ORDER BY id LIMIT $2
), quiet AS MATERIALIZED (
  SELECT id, kind FROM looked
  WHERE NOT EXISTS (SELECT FROM host_totals WHERE host_id = id AND dc = '' AND last_bucket >= now() - make_interval(days => $3))
), taken AS (
  DELETE FROM host_traffic USING quiet
  WHERE host_traffic.kind = quiet.kind AND host_id = id AND dc = ''
  RETURNING host_traffic.kind, host_id, bucket, class, p, n, checksum
), moved AS (
  INSERT INTO quiet_host_traffic AS kept (host_id, kind, first_bucket, last_bucket, quarters, classes, p, n, checksums)
  SELECT host_id, kind, min(bucket), max(bucket), array_agg((extract(epoch FROM bucket) / 900)::integer ORDER BY bucket, class), array_agg(class ORDER BY bucket, class),
    array_agg(p ORDER BY bucket, class), CASE WHEN max(n) > 0 THEN array_agg(n ORDER BY bucket, class) END,
    array_agg(checksum ORDER BY bucket, class)
  FROM taken
  GROUP BY host_id, kind
  ON CONFLICT (host_id) DO UPDATE SET
    first_bucket = least(kept.first_bucket, excluded.first_bucket), last_bucket = greatest(kept.last_bucket, excluded.last_bucket),
    quarters = kept.quarters || excluded.quarters, classes = kept.classes || excluded.classes, p = kept.p || excluded.p,
    n = CASE WHEN kept.n IS NOT NULL OR excluded.n IS NOT NULL THEN
      coalesce(kept.n, array_fill(0::bigint, ARRAY[cardinality(kept.p)])) || coalesce(excluded.n, array_fill(0::bigint, ARRAY[cardinality(excluded.p)]))
    END,
    checksums = kept.checksums || excluded.checksums
)
SELECT (SELECT max(id) FROM looked) AS last, (SELECT count(DISTINCT host_id) FROM taken)::integer AS hosts
