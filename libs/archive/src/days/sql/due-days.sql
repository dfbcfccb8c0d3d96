-- $1 and $2 starts and ends of days (parallel), $3 the same ends up to the full UTC hour. Days whose aggregates are not
-- what the buckets of all links say, and whose hours are in files as those say.
SELECT day.day_start
FROM unnest($1::timestamptz[], $2::timestamptz[], $3::timestamptz[]) AS day (day_start, day_end, hours_end)
CROSS JOIN LATERAL (
  SELECT coalesce(sum(visits), 0) AS visits, coalesce(bit_xor(checksum), 0) AS checksum
  FROM scope_traffic
  WHERE scope = 'all' AND scope_id = '' AND bucket >= day.day_start AND bucket < day.day_end
) AS counted
LEFT JOIN day_aggregates AS kept
  ON kept.scope = 'all' AND kept.scope_id = '' AND kept.day_start = day.day_start AND kept.class = 'all'
CROSS JOIN LATERAL (
  SELECT coalesce(sum(visits), 0) AS visits, coalesce(bit_xor(checksum), 0) AS checksum
  FROM scope_traffic
  WHERE scope = 'all' AND scope_id = '' AND bucket >= date_trunc('hour', day.day_start) AND bucket < day.hours_end
) AS hours
CROSS JOIN LATERAL (
  SELECT coalesce(sum(part.visits), 0) AS visits, coalesce(bit_xor(part.checksum), 0) AS checksum
  FROM archive_file_hours AS part JOIN archive_files AS file ON file.id = part.file_id AND file.state = 'active'
  WHERE part.hour >= date_trunc('hour', day.day_start) AND part.hour < day.hours_end
) AS filed
WHERE (coalesce(kept.visits, 0), coalesce(kept.checksum, 0), coalesce(kept.day_end, day.day_end))
    <> (counted.visits, counted.checksum, day.day_end)
  AND (hours.visits, hours.checksum) = (filed.visits, filed.checksum)
ORDER BY day.day_start DESC
