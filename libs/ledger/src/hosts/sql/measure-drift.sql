-- Of the last hour, in one snapshot: visits by which the hosts of each kind differ from all links, and buckets whose checksums differ.
WITH kept AS (
  SELECT kind, bucket, class, p - n AS visits, checksum
  FROM host_traffic WHERE bucket >= date_bin('15 minutes', now() - interval '1 hour', '2000-01-01 00:00:00+00') AND dc = '' AND kind < 3
  UNION ALL
  SELECT change.kind, to_timestamp(change.cell / 90 * 900.0), change.class, change.p - change.n, change.checksum
  FROM host_changes, unnest(kinds, cells, classes, p, n, checksums) AS change (kind, cell, class, p, n, checksum)
  WHERE folded_at IS NULL AND change.kind < 3
    AND change.cell >= extract(epoch FROM date_bin('15 minutes', now() - interval '1 hour', '2000-01-01 00:00:00+00')) / 10
  UNION ALL
  SELECT kind, bucket, class, -visits, checksum
  FROM scope_traffic, generate_series(0, 2) AS kind
  WHERE scope = 'all' AND scope_id = '' AND bucket >= date_bin('15 minutes', now() - interval '1 hour', '2000-01-01 00:00:00+00')
), sums AS (
  SELECT sum(visits) AS visits, bit_xor(checksum) AS checksum FROM kept GROUP BY kind, bucket, class
)
SELECT coalesce(sum(abs(visits)), 0)::float8 AS visits, count(*) FILTER (WHERE checksum <> 0)::integer AS checksums FROM sums
