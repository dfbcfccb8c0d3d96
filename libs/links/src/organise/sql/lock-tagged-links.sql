-- $1 tags, $2 how many links at most. Links that have one of them, held in the order of their ids.
SELECT id FROM links
WHERE id IN (SELECT link_id FROM link_tags WHERE tag_id = ANY ($1::integer[]) ORDER BY link_id LIMIT $2)
ORDER BY id
FOR NO KEY UPDATE
