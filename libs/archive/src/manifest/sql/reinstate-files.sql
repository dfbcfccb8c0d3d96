-- $1 damaged files: they count again, all of them or none, if with them the active files hold of each of their hours what the buckets
-- say, and none of them was labelled anew since it was set aside, which no sum would show.
WITH own AS (
  SELECT part.hour, sum(part.visits) AS visits, bit_xor(part.checksum) AS checksum, min(file.ended_at) AS ended_at
  FROM archive_file_hours AS part
  JOIN archive_files AS file ON file.id = part.file_id
  WHERE part.file_id = ANY ($1::uuid[])
  GROUP BY part.hour
)
UPDATE archive_files SET state = 'active', ended_at = NULL, checked_at = now()
WHERE id = ANY ($1::uuid[]) AND (
  SELECT count(*) FROM archive_files WHERE id = ANY ($1::uuid[]) AND state = 'damaged' AND deleted_at IS NULL
) = cardinality($1::uuid[]) AND NOT EXISTS (
  SELECT
  FROM own
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
  WHERE filed.visits + own.visits <> kept.visits OR filed.checksum # own.checksum <> kept.checksum
) AND NOT EXISTS (
  SELECT
  FROM own
  JOIN relabels ON relabels.range_from < own.hour + interval '1 hour' AND relabels.range_to > own.hour
  WHERE relabels.changed IS NOT NULL AND relabels.ended_at > own.ended_at
)
