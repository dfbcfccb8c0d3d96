-- $1 from, $2 to: hours of which the active files do not hold exactly what the buckets say. Those are due, but where the ledger
-- was dropped: nothing can be sealed any more, only what was purged since can be taken out of files.
SELECT hour, coalesce(kept.visits, 0)::float8 AS visits, filed.visits IS NOT NULL AS filed,
  hour >= coalesce((SELECT kept_from FROM ledger_retention), '-infinity')
    OR coalesce(filed.visits, 0) > coalesce(kept.visits, 0) AS "isDue"
FROM (
  SELECT date_bin('1 hour', bucket, '2000-01-01 00:00:00+00') AS hour, sum(visits) AS visits, bit_xor(checksum) AS checksum
  FROM link_traffic
  WHERE bucket >= $1::timestamptz AND bucket < $2::timestamptz
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
ORDER BY hour
