-- $1 stream, $2 key, $3 kind, $4 class. Takes a batch that counted away, once: in the cell it counted in.
WITH reversed AS (
  UPDATE host_batches SET reversed_at = date_trunc('milliseconds', clock_timestamp())
  WHERE stream = $1 AND key = $2 AND names IS NOT NULL AND reversed_at IS NULL
  RETURNING names, counts, accepted_at
)
INSERT INTO host_changes (kinds, hosts, cells, classes, p, n, checksums)
SELECT array_fill($3::smallint, size), names, array_fill(floor(extract(epoch FROM accepted_at) / 10)::integer, size),
  array_fill($4::smallint, size), array_fill(0::bigint, size), counts, array_fill(0::bigint, size)
FROM reversed, LATERAL (SELECT ARRAY[cardinality(names)] AS size) AS sizes
