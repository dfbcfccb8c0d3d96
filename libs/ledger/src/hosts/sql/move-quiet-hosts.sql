-- $1 hosts, $2 how many rows at most, $3 days. Quarters of those that still had no visits for so long go to quiet_host_traffic, in one statement: they are
-- here or there. What is beyond $2, and what is counted of them later, stays here, beside it.
WITH quiet AS MATERIALIZED (
  SELECT id, kind FROM hosts
  WHERE id = ANY ($1::integer[])
    AND NOT EXISTS (SELECT FROM host_totals WHERE host_id = id AND dc = '' AND last_bucket >= now() - make_interval(days => $3))
), taken AS (
  -- By their places, found host by host: a join might read all that is there.
  DELETE FROM host_traffic
  WHERE ctid = ANY (ARRAY(
    SELECT oldest.place
    FROM quiet CROSS JOIN LATERAL (
      SELECT ctid AS place FROM host_traffic AS traffic
      WHERE traffic.kind = quiet.kind AND host_id = quiet.id AND dc = '' ORDER BY bucket LIMIT $2
    ) AS oldest
    LIMIT $2
  ))
  RETURNING kind, host_id, bucket, class, p, n, checksum
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
SELECT count(*)::integer AS rows FROM taken
