-- $1 and $2: the period files overlap; $3 states.
SELECT id, path, level, period_start, period_end, visits::float8 AS visits, checksum::text AS checksum,
  bytes::float8 AS bytes, encode(sha256, 'hex') AS sha256, state, sealed_at
FROM archive_files
WHERE period_start < $2::timestamptz AND period_end > $1::timestamptz AND state = ANY ($3::text[]) AND deleted_at IS NULL
ORDER BY period_start, period_end, id
