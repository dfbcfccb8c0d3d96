-- $1 link ids, $2 tag names, $3 places in which to answer them: one of each for every tag of every link. New tags are filed,
-- in the order of their names, so that two creations cannot wait for each other. What another transaction filed since
-- this statement began is neither seen nor filed: those rows are missing, and the same statement once more adds them.
WITH given AS MATERIALIZED (
  SELECT link_id, name, position FROM unnest($1::bigint[], $2::text[], $3::smallint[]) AS given (link_id, name, position)
), known AS MATERIALIZED (
  SELECT id, name FROM tags WHERE name = ANY ($2::text[])
), filed AS (
  INSERT INTO tags (name)
  SELECT DISTINCT name FROM given WHERE NOT EXISTS (SELECT FROM known WHERE known.name = given.name) ORDER BY name
  ON CONFLICT DO NOTHING
  RETURNING id, name
)
INSERT INTO link_tags (link_id, tag_id, position)
SELECT given.link_id, tag.id, given.position
FROM given
JOIN (TABLE known UNION ALL TABLE filed) AS tag ON tag.name = given.name
ON CONFLICT DO NOTHING
