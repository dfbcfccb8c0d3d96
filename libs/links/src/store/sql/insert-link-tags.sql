-- $1 link ids, $2 tag names, $3 places in which to answer them: one of each for every tag of every link.
INSERT INTO link_tags (link_id, tag_id, position)
SELECT given.link_id, tags.id, given.position
FROM unnest($1::bigint[], $2::text[], $3::smallint[]) AS given (link_id, name, position)
JOIN tags ON tags.name = given.name
