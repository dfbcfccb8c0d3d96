-- $1 groups that come first.
UPDATE groups
SET position = wanted.place
FROM (
  SELECT id, row_number() OVER (ORDER BY array_position($1::text[], id), position, created_at, id) AS place FROM groups
) AS wanted
WHERE groups.id = wanted.id AND position IS DISTINCT FROM wanted.place
