-- $1 instant from which the ledger is whole, $2 from, $3 to, $4 how many differences at most. Sums of hosts, folded or not, both ways: each host against
-- the ledger; where the ledger was dropped (and of each kind), all of them together against the buckets of the links and what
-- was purged there and is not out of them yet.
WITH booked AS MATERIALIZED (
  SELECT host_buckets.kind, name AS host, bucket, class, sum(p - n) AS visits, bit_xor(checksum) AS checksum
  FROM host_buckets JOIN hosts ON hosts.id = host_buckets.host_id
  WHERE dc = '' AND bucket >= $2::timestamptz AND bucket < $3::timestamptz AND last_bucket >= $2 AND first_bucket < $3
  GROUP BY 1, 2, 3, 4
  UNION ALL
  SELECT change.kind, change.host, to_timestamp(change.cell / 90 * 900.0), change.class, sum(change.p - change.n), bit_xor(change.checksum)
  FROM host_changes, unnest(kinds, hosts, cells, classes, p, n, checksums) AS change (kind, host, cell, class, p, n, checksum)
  WHERE folded_at IS NULL AND to_timestamp(change.cell / 90 * 900.0) >= $2 AND to_timestamp(change.cell / 90 * 900.0) < $3
  GROUP BY 1, 2, 3, 4
), counted AS MATERIALIZED (
  SELECT kind, host, bucket, class, sum(visits) AS visits, bit_xor(checksum) AS checksum
  FROM (
    SELECT target_host, short_host, referrer_host, date_bin('15 minutes', occurred_at, '2000-01-01 00:00:00+00') AS bucket, class,
      count(*) AS visits, bit_xor(event_checksum(event_id)) AS checksum
    FROM visits
    WHERE occurred_at >= greatest($1::timestamptz, $2) AND occurred_at < $3
    GROUP BY 1, 2, 3, 4, 5
  ) AS sums, visit_hosts(target_host, short_host, referrer_host)
  GROUP BY 1, 2, 3, 4
), place AS MATERIALIZED (
  SELECT name.kind, name.host, coalesce(hosts.name, host_place(name.kind, name.host)) AS place
  FROM (SELECT kind, host FROM booked UNION SELECT kind, host FROM counted) AS name
  LEFT JOIN hosts ON hosts.kind = name.kind AND hosts.name = name.host
), expected AS (
  SELECT kind, place AS host, bucket, class, sum(visits) AS visits, bit_xor(checksum) AS checksum
  FROM counted JOIN place USING (kind, host)
  GROUP BY 1, 2, 3, 4
  UNION ALL
  SELECT kind, '', bucket, class, sum(visits), bit_xor(checksum)
  FROM (
    SELECT bucket, class, visits, checksum FROM link_traffic
    UNION ALL SELECT bucket, class, visits, checksum FROM unattributed_purges
  ) AS traffic, generate_series(0, 2) AS kind
  WHERE bucket >= $2 AND bucket < $3
  GROUP BY 1, 2, 3, 4
), kept AS (
  SELECT kind, place AS host, bucket, class, sum(visits) AS visits, bit_xor(checksum) AS checksum
  FROM booked JOIN place USING (kind, host)
  WHERE bucket >= $1::timestamptz AND kind < 3
  GROUP BY 1, 2, 3, 4
  UNION ALL
  SELECT kind, '', bucket, class, sum(visits), bit_xor(checksum) FROM booked WHERE kind < 3 GROUP BY 1, 2, 3, 4
)
SELECT
  coalesce(kept.kind, expected.kind) AS kind,
  coalesce(kept.host, expected.host) AS host,
  coalesce(kept.bucket, expected.bucket) AS bucket,
  coalesce(kept.class, expected.class) AS class,
  jsonb_build_object('visits', expected.visits, 'checksum', expected.checksum::text) AS expected,
  jsonb_build_object('visits', kept.visits, 'checksum', kept.checksum::text) AS actual
FROM kept FULL JOIN expected
  ON expected.kind = kept.kind AND expected.host = kept.host AND expected.bucket = kept.bucket AND expected.class = kept.class
WHERE (coalesce(kept.visits, 0), coalesce(kept.checksum, 0)) <> (coalesce(expected.visits, 0), coalesce(expected.checksum, 0))
LIMIT $4
