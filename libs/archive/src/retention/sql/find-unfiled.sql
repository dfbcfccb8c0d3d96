-- $1 from, $2 to; of each $3 hour and $4 class $5 visits and $6 checksums in files: hours of which files, buckets and the
-- ledger's rows do not all hold the same of a class.
SELECT DISTINCT hour
FROM (
  SELECT date_bin('1 hour', occurred_at, '2000-01-01 00:00:00+00') AS hour, class,
    count(*) AS visits, bit_xor(event_checksum(event_id)) AS checksum
  FROM visits
  WHERE occurred_at >= $1::timestamptz AND occurred_at < $2::timestamptz
  GROUP BY 1, 2
  UNION ALL
  SELECT date_bin('1 hour', bucket, '2000-01-01 00:00:00+00'), class, sum(visits), bit_xor(checksum)
  FROM link_traffic
  WHERE bucket >= $1::timestamptz AND bucket < $2::timestamptz
  GROUP BY 1, 2
  HAVING sum(visits) <> 0
  UNION ALL
  SELECT * FROM unnest($3::timestamptz[], $4::smallint[], $5::bigint[], $6::bigint[])
) AS part
GROUP BY hour, class
HAVING count(*) <> 3 OR min(visits) <> max(visits) OR min(checksum) <> max(checksum)
ORDER BY hour
