-- $1 a damaged file: it counts again if with it the active files hold of each of its hours what the buckets say, and none of them was
-- labelled anew since it was set aside, which no sum would show.
UPDATE archive_files SET state = 'active', ended_at = NULL, checked_at = now()
WHERE id = $1 AND state = 'damaged' AND deleted_at IS NULL AND NOT EXISTS (
  SELECT
  FROM archive_file_hours AS own
  CROSS JOIN LATERAL (
    SELECT coalesce(sum(part.visits), 0) AS visits, coalesce(bit_xor(part.checksum), 0) AS checksum
    FROM archive_file_hours AS part
    JOIN archive_files AS file ON file.id = part.file_id AND file.state = 'active'
    WHERE part.hour = own.hour
  ) AS filed
  CROSS JOIN LATERAL (
    SELECT coalesce(sum(visits), 0) AS visits, coalesce(bit_xor(checksum), 0) AS checksum
    FROM link_traffic
    WHERE bucket >= own.hour AND bucket < own.hour + interval '1 hour'
  ) AS kept
  WHERE own.file_id = $1
    AND (filed.visits + own.visits <> kept.visits OR filed.checksum # own.checksum <> kept.checksum)
) AND NOT EXISTS (
  SELECT
  FROM archive_file_hours AS own
  JOIN relabels ON relabels.range_from < own.hour + interval '1 hour' AND relabels.range_to > own.hour
  WHERE own.file_id = $1 AND relabels.changed IS NOT NULL AND relabels.ended_at > archive_files.ended_at
)
