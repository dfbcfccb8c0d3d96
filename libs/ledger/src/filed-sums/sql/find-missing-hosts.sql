-- $1/$2 from and to. What hosts lack in sound buckets, or have too much, folded or not: right whenever it is folded (see rebuild-traffic.sql).
WITH booked AS MATERIALIZED (
  SELECT host_buckets.kind, name AS host, bucket, class, p - n AS visits, checksum
  FROM host_buckets JOIN hosts ON hosts.id = host_buckets.host_id
  WHERE dc = '' AND host_buckets.kind < 3 AND bucket >= $1::timestamptz AND bucket < $2::timestamptz
    AND last_bucket >= $1::timestamptz AND first_bucket < $2::timestamptz
  UNION ALL
  SELECT change.kind, change.host, to_timestamp(change.cell / 90 * 900.0), change.class, change.p - change.n, change.checksum
  FROM host_changes, unnest(kinds, hosts, cells, classes, p, n, checksums) AS change (kind, host, cell, class, p, n, checksum)
  WHERE folded_at IS NULL AND change.kind < 3
    AND change.cell >= extract(epoch FROM $1::timestamptz) / 10 AND change.cell < extract(epoch FROM $2::timestamptz) / 10
), part AS (
  SELECT kind, host, bucket, class, visits, checksum
  FROM filed_sums JOIN sound_buckets USING (bucket), visit_hosts(target_host, short_host, referrer_host)
  UNION ALL
  SELECT kind, host, bucket, class, -visits, checksum FROM booked JOIN sound_buckets USING (bucket)
), place AS MATERIALIZED (
  SELECT name.kind, name.host, coalesce(hosts.name, host_place(name.kind, name.host)) AS place
  FROM (SELECT DISTINCT kind, host FROM part) AS name
  LEFT JOIN hosts ON hosts.kind = name.kind AND hosts.name = name.host
)
INSERT INTO missing_sums (kind, name, bucket, class, visits, checksum)
SELECT kind, place, bucket, class, sum(visits), bit_xor(checksum)
FROM part JOIN place USING (kind, host)
GROUP BY 1, 2, 3, 4
HAVING (sum(visits), bit_xor(checksum)) <> (0, 0)
