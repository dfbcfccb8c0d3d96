-- $1 link, $2 from and $3 to (whole hours), $4 step. What the buckets say of each step: parallel arrays, and JSON, because
-- it is read fastest.
SELECT coalesce(json_agg(start ORDER BY start), '[]') AS starts, coalesce(json_agg(visits ORDER BY start), '[]') AS visits,
  coalesce(json_agg(checksum ORDER BY start), '[]') AS checksums
FROM (
  SELECT (extract(epoch FROM date_bin($4::interval, bucket, '2000-01-01 00:00:00+00')) * 1000)::bigint AS start,
    sum(visits)::bigint AS visits, bit_xor(checksum)::text AS checksum
  FROM link_traffic
  WHERE link_id = $1 AND bucket >= $2::timestamptz AND bucket < $3::timestamptz
  GROUP BY 1
  HAVING sum(visits) <> 0 OR bit_xor(checksum) <> 0
) AS sums
