-- Totals of hosts are what their buckets, and peers, say. Nobody folds meanwhile. A change without entries tells who keeps totals in memory.
WITH counted AS MATERIALIZED (
  SELECT kind, host_id, class, dc, sum(p) AS p, sum(n) AS n, max(bucket) AS last_bucket FROM host_buckets GROUP BY 1, 2, 3, 4
  UNION ALL
  SELECT kind, host_id, class, dc, sum(p), sum(n), now() FROM host_replicas GROUP BY 1, 2, 3, 4
), gone AS (
  DELETE FROM host_totals AS kept
  WHERE NOT EXISTS (
    SELECT FROM counted
    WHERE counted.kind = kept.kind AND counted.host_id = kept.host_id AND counted.class = kept.class AND counted.dc = kept.dc
  )
  RETURNING kind
), put AS (
  INSERT INTO host_totals AS kept (kind, host_id, class, dc, p, n, last_bucket)
  SELECT kind, host_id, class, dc, p, n, last_bucket FROM counted
  ON CONFLICT (kind, host_id, class, dc) DO UPDATE SET p = excluded.p, n = excluded.n, last_bucket = excluded.last_bucket
  WHERE (kept.p, kept.n) <> (excluded.p, excluded.n)
  RETURNING kind
), told AS (
  INSERT INTO host_changes (kinds, hosts, cells, classes, p, n, checksums)
  SELECT '{}', '{}', '{}', '{}', '{}', '{}', '{}' WHERE EXISTS (SELECT FROM gone) OR EXISTS (SELECT FROM put)
)
SELECT kind FROM gone UNION ALL SELECT kind FROM put
