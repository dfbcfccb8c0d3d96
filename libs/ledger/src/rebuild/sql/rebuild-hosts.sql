-- $1/$2 from and to. A change that says what hosts lack between them of the ledger, or have too much: right whenever it is folded (see
-- rebuild-traffic.sql). Where the ledger was dropped only files know hosts (see filed-sums): there '~unknown' takes what all of them lack of the
-- buckets of the links and what was purged and is not out of them yet.
WITH scope AS (
  SELECT coalesce((SELECT kept_from FROM ledger_retention), '-infinity') AS kept_from
), booked AS MATERIALIZED (
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
  SELECT kind, host, date_bin('15 minutes', occurred_at, '2000-01-01 00:00:00+00') AS bucket, class,
    count(*) AS visits, bit_xor(event_checksum(event_id)) AS checksum
  FROM visits, visit_hosts(target_host, short_host, referrer_host)
  WHERE occurred_at >= $1::timestamptz AND occurred_at < $2::timestamptz AND occurred_at >= (SELECT kept_from FROM scope)
  GROUP BY 1, 2, 3, 4
  UNION ALL
  SELECT kind, '~unknown', bucket, class, sum(visits), bit_xor(checksum)
  FROM (
    SELECT bucket, class, visits, checksum FROM link_traffic
    UNION ALL SELECT bucket, class, visits, checksum FROM unattributed_purges
  ) AS traffic, generate_series(0, 2) AS kind
  WHERE bucket >= $1::timestamptz AND bucket < $2::timestamptz AND bucket < (SELECT kept_from FROM scope)
  GROUP BY 1, 2, 3, 4
  UNION ALL
  SELECT kind, CASE WHEN bucket < (SELECT kept_from FROM scope) THEN '~unknown' ELSE host END, bucket, class, -visits, checksum FROM booked
), place AS MATERIALIZED (
  SELECT name.kind, name.host, coalesce(hosts.name, host_place(name.kind, name.host)) AS place
  FROM (SELECT DISTINCT kind, host FROM part) AS name
  LEFT JOIN hosts ON hosts.kind = name.kind AND hosts.name = name.host
), missing AS MATERIALIZED (
  SELECT kind::smallint AS kind, place AS host, (extract(epoch FROM bucket) / 10)::integer AS cell, class,
    sum(visits)::bigint AS visits, bit_xor(checksum) AS checksum
  FROM part JOIN place USING (kind, host)
  GROUP BY 1, 2, 3, 4
  HAVING (sum(visits), bit_xor(checksum)) <> (0, 0)
), added AS (
  INSERT INTO host_changes (kinds, hosts, cells, classes, p, n, checksums, is_correction)
  SELECT array_agg(kind), array_agg(host), array_agg(cell), array_agg(class),
    array_agg(greatest(visits, 0)), array_agg(greatest(-visits, 0)), array_agg(checksum), true
  FROM (SELECT *, (row_number() OVER (ORDER BY cell) - 1) / 20000 AS part FROM missing) AS missing
  GROUP BY part
)
SELECT kind, host FROM missing
