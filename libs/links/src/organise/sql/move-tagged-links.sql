-- $1 links that are held, $2 tags they may have, $3 the tag they get instead, where the first of those stood.
WITH untagged AS (
  DELETE FROM link_tags WHERE link_id = ANY ($1::bigint[]) AND tag_id = ANY ($2::integer[]) RETURNING link_id, position
)
INSERT INTO link_tags (link_id, tag_id, position)
SELECT link_id, $3, min(position) FROM untagged GROUP BY link_id ORDER BY link_id
ON CONFLICT (link_id, tag_id) DO NOTHING
