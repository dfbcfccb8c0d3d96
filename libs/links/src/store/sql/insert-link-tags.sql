-- $1 link id, $2 tag names in the order to answer them.
INSERT INTO link_tags (link_id, tag_id, position)
SELECT $1::bigint, tags.id, given.position
FROM unnest($2::text[]) WITH ORDINALITY AS given (name, position)
JOIN tags ON tags.name = given.name
