-- $1 from, $2 to; {table} the month's rows. Links, buckets and classes of which they are not what link_traffic says.
SELECT count(*)::float8 AS buckets
FROM (
  SELECT link_id, bucket, class, sum(visits) AS visits, bit_xor(checksum) AS checksum
  FROM link_traffic
  WHERE bucket >= $1::timestamptz AND bucket < $2::timestamptz
  GROUP BY 1, 2, 3
  HAVING sum(visits) <> 0 OR bit_xor(checksum) <> 0
) AS kept
FULL JOIN (
  SELECT link_id, date_bin('15 minutes', occurred_at, '2000-01-01 00:00:00+00') AS bucket, class,
    count(*) AS visits, bit_xor(event_checksum(event_id)) AS checksum
  FROM {table}
  GROUP BY 1, 2, 3
) AS restored USING (link_id, bucket, class)
WHERE (coalesce(kept.visits, 0), coalesce(kept.checksum, 0)) <> (coalesce(restored.visits, 0), coalesce(restored.checksum, 0))
