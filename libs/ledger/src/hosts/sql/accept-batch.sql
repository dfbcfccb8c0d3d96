-- $1 stream, $2 key, $3 hash of the body, $4 lines, $5 visits, $6 names, $7 new names a stream may have in a day, $8 kind. Inserts nothing if
-- the key is there, or more names are new than may be. New is what a fold would add, see find-new-hosts.sql.
WITH fresh AS (
  SELECT count(*) AS names
  FROM (SELECT DISTINCT name COLLATE "C" AS name FROM unnest($6::text[]) AS given (name)) AS given
  WHERE NOT EXISTS (SELECT FROM hosts WHERE hosts.kind = $8 AND hosts.name = given.name) AND host_place($8, given.name) = given.name
    AND NOT EXISTS (SELECT FROM host_batches WHERE stream = $1 AND key = $2)
), used AS (
  SELECT coalesce(sum(new_names), 0) AS names FROM host_batches
  WHERE stream = $1 AND new_names > 0 AND accepted_at > now() - interval '1 day'
)
INSERT INTO host_batches (stream, key, body_hash, accepted_at, lines, visits, new_names)
SELECT $1::text, $2::text, $3::bytea, date_trunc('milliseconds', clock_timestamp()), $4::integer, $5::bigint, fresh.names
FROM fresh, used
WHERE fresh.names = 0 OR used.names + fresh.names <= $7::integer
ON CONFLICT DO NOTHING
