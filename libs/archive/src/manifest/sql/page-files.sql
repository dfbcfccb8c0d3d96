-- $1 and $2: period and id of the last file of the page before, null at the beginning; $3 how many.
SELECT id, path, level, period_start, period_end, visits::float8 AS visits, checksum::text AS checksum,
  bytes::float8 AS bytes, encode(sha256, 'hex') AS sha256, state, sealed_at
FROM archive_files
WHERE deleted_at IS NULL AND ($1::timestamptz IS NULL OR (period_start, id) < ($1::timestamptz, $2::uuid))
ORDER BY period_start DESC, id DESC
LIMIT $3
