-- $1 stream, $2 key, $3 hash of the body, $4 when it was accepted, $5 names, $6 counts (parallel arrays), $7 lines, $8 kind, $9 class. Books a batch if it was not settled
-- yet: the row decides. A row as if counted when nobody accepted it (the database was restored). The caller has locked host_feed. All that was ever fed
-- stays below 2^52; what peers counted has the other half (read-room.sql).
WITH given AS (
  SELECT sum(count) AS visits FROM unnest($6::bigint[]) AS count
), settled AS (
  INSERT INTO host_batches AS batch (stream, key, body_hash, accepted_at, lines, visits, names, counts, settled_at, refusal)
  SELECT $1::text, $2::text, $3::bytea, $4::timestamptz, $7::integer, least(given.visits, 9007199254740991),
    CASE WHEN is_small THEN $5::text[] END, CASE WHEN is_small THEN $6::bigint[] END,
    clock_timestamp(), CASE WHEN NOT is_small THEN 'sum-too-large' END
  FROM given, host_feed, LATERAL (SELECT host_feed.visits + given.visits <= 4503599627370495 AS is_small) AS sums
  ON CONFLICT (stream, key) DO UPDATE
  SET names = excluded.names, counts = excluded.counts, settled_at = excluded.settled_at, refusal = excluded.refusal
  WHERE batch.settled_at IS NULL AND batch.body_hash = excluded.body_hash
  RETURNING names, counts, accepted_at, refusal
), added AS (
  UPDATE host_feed SET visits = host_feed.visits + given.visits FROM given WHERE EXISTS (SELECT FROM settled WHERE refusal IS NULL)
), booked AS (
  INSERT INTO host_changes (kinds, hosts, cells, classes, p, n, checksums)
  SELECT array_fill($8::smallint, size), names, array_fill(floor(extract(epoch FROM accepted_at) / 10)::integer, size),
    array_fill($9::smallint, size), counts, array_fill(0::bigint, size), array_fill(0::bigint, size)
  FROM settled, LATERAL (SELECT ARRAY[cardinality(names)] AS size) AS sizes
  WHERE refusal IS NULL
)
SELECT refusal FROM settled
