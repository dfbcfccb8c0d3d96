-- $1 from, $2 to: days (UTC) with hours of which the active files do not hold what the buckets of everybody say, the latest first: a few
-- rows a bucket, where `differing-hours.sql` reads those of every link.
SELECT DISTINCT date_bin('1 day', hour, '2000-01-01 00:00:00+00') AS day
FROM (
  SELECT date_bin('1 hour', bucket, '2000-01-01 00:00:00+00') AS hour, sum(visits) AS visits, bit_xor(checksum) AS checksum
  FROM scope_traffic
  WHERE scope = 'all' AND scope_id = '' AND bucket >= $1::timestamptz AND bucket < $2::timestamptz
  GROUP BY 1
) AS kept
FULL JOIN (
  SELECT part.hour, sum(part.visits) AS visits, bit_xor(part.checksum) AS checksum
  FROM archive_file_hours AS part
  JOIN archive_files AS file ON file.id = part.file_id AND file.state = 'active'
  WHERE part.hour >= $1::timestamptz AND part.hour < $2::timestamptz
  GROUP BY 1
) AS filed USING (hour)
WHERE (coalesce(kept.visits, 0), coalesce(kept.checksum, 0)) <> (coalesce(filed.visits, 0), coalesce(filed.checksum, 0))
ORDER BY 1 DESC
