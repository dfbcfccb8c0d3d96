-- $1 stream and $2 key (null: any), $3 since when they were accepted (null: ever), $4 whether only those that a reversal would change, $5 how many. The newest first.
SELECT stream, key, body_hash, lines, visits::float8, accepted_at, settled_at, refusal, reversed_at, names IS NOT NULL AS is_whole
FROM host_batches
WHERE ($1::text IS NULL OR stream = $1) AND ($2::text IS NULL OR key = $2) AND ($3::timestamptz IS NULL OR accepted_at >= $3)
  AND (NOT $4 OR settled_at IS NULL OR names IS NOT NULL AND reversed_at IS NULL)
ORDER BY accepted_at DESC, stream, key
LIMIT $5
