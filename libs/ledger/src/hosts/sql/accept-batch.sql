-- $1 stream, $2 key, $3 hash of the body, $4 lines, $5 visits, $6 names, $7 new names a stream may have in a day, $8 kind, $9 lines it may feed in
-- a day, $10 what a batch costs beside its lines. Inserts nothing if the key is there, or it is more than may be: says of what. New is
-- what a fold would add, see find-new-hosts.sql. The caller has locked the stream.
WITH fresh AS (
  SELECT count(*) AS names
  FROM (SELECT DISTINCT name COLLATE "C" AS name FROM unnest($6::text[]) AS given (name)) AS given
  WHERE NOT EXISTS (SELECT FROM hosts WHERE hosts.kind = $8 AND hosts.name = given.name) AND host_place($8, given.name) = given.name
    AND NOT EXISTS (SELECT FROM host_batches WHERE stream = $1 AND key = $2)
), today AS (
  SELECT (clock_timestamp() AT TIME ZONE 'UTC')::date AS day
), used AS (
  SELECT coalesce(max(fed.lines), 0) AS lines, coalesce(max(fed.new_names), 0) AS names
  FROM today LEFT JOIN host_feed_days AS fed ON fed.stream = $1 AND fed.day = today.day
), limits AS (
  SELECT fresh.names > 0 AND used.names + fresh.names > $7::bigint AS too_many_names, used.lines + $4::integer + $10::integer > $9::bigint AS too_many_lines
  FROM fresh, used
), batch AS (
  INSERT INTO host_batches (stream, key, body_hash, accepted_at, lines, visits, new_names)
  SELECT $1::text, $2::text, $3::bytea, date_trunc('milliseconds', clock_timestamp()), $4::integer, $5::bigint, fresh.names
  FROM fresh, limits
  WHERE NOT too_many_names AND NOT too_many_lines
  ON CONFLICT DO NOTHING
  RETURNING lines, new_names
), counted AS (
  INSERT INTO host_feed_days AS fed (stream, day, lines, new_names)
  SELECT $1::text, day, lines + $10::integer, new_names FROM batch, today
  ON CONFLICT (stream, day) DO UPDATE SET lines = fed.lines + excluded.lines, new_names = fed.new_names + excluded.new_names
)
SELECT too_many_names AS "tooManyNames", too_many_lines AS "tooManyLines" FROM limits
