-- $1 from and $2 to (whole hours), $3 files. Hours (UTC) in which what these files hold of all links is not what the buckets of
-- all links say, and whether they hold anything. JSON, because it is read fastest.
SELECT coalesce(json_agg((extract(epoch FROM hour) * 1000)::bigint ORDER BY hour), '[]') AS hours,
  coalesce(json_agg(filed.visits IS NOT NULL ORDER BY hour), '[]') AS filed
FROM (
  SELECT date_bin('1 hour', bucket, '2000-01-01 00:00:00+00') AS hour, sum(visits) AS visits, bit_xor(checksum) AS checksum
  FROM scope_traffic
  WHERE scope = 'all' AND scope_id = '' AND bucket >= $1::timestamptz AND bucket < $2::timestamptz
  GROUP BY 1
  HAVING sum(visits) <> 0 OR bit_xor(checksum) <> 0
) AS kept
FULL JOIN (
  SELECT hour, sum(visits) AS visits, bit_xor(checksum) AS checksum
  FROM archive_file_hours
  WHERE file_id = ANY ($3::uuid[]) AND hour >= $1::timestamptz AND hour < $2::timestamptz
  GROUP BY hour
) AS filed USING (hour)
WHERE (coalesce(kept.visits, 0), coalesce(kept.checksum, 0)) <> (coalesce(filed.visits, 0), coalesce(filed.checksum, 0))
