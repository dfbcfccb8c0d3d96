-- $1 from, $2 to. A damaged file on disk with an hour of which the active files do not hold what the buckets say.
SELECT path
FROM archive_files AS file
JOIN archive_file_hours AS own ON own.file_id = file.id AND own.hour >= $1::timestamptz AND own.hour < $2::timestamptz
CROSS JOIN LATERAL (
  SELECT coalesce(sum(part.visits), 0) AS visits, coalesce(bit_xor(part.checksum), 0) AS checksum
  FROM archive_file_hours AS part
  JOIN archive_files AS active ON active.id = part.file_id AND active.state = 'active'
  WHERE part.hour = own.hour
) AS filed
CROSS JOIN LATERAL (
  SELECT coalesce(sum(visits), 0) AS visits, coalesce(bit_xor(checksum), 0) AS checksum
  FROM link_traffic
  WHERE bucket >= own.hour AND bucket < own.hour + interval '1 hour'
) AS kept
WHERE file.state = 'damaged' AND file.deleted_at IS NULL
  AND (filed.visits, filed.checksum) <> (kept.visits, kept.checksum)
LIMIT 1
