-- Condition of every list and count statement; put in the place of /*FILTER*/. null: no condition.
-- $1 domain (DEFAULT: the default one), $2 pattern for ILIKE, $3 tags, $4 all of them?, $5 from, $6 to.
links.deleted_at IS NULL
AND ($1::text IS NULL OR domains.authority = $1 OR ($1 = 'DEFAULT' AND domains.is_default))
AND (
  $2::text IS NULL
  OR links.long_url ILIKE $2 OR links.code ILIKE $2 OR links.title ILIKE $2 OR domains.authority ILIKE $2
  OR EXISTS (
    SELECT FROM link_tags JOIN tags ON tags.id = link_tags.tag_id
    WHERE link_tags.link_id = links.id AND tags.name ILIKE $2
  )
)
AND (
  $3::text[] IS NULL
  OR CASE WHEN $4::boolean THEN cardinality($3) ELSE 1 END <= (
    SELECT count(*) FROM link_tags JOIN tags ON tags.id = link_tags.tag_id
    WHERE link_tags.link_id = links.id AND tags.name = ANY ($3)
  )
)
AND ($5::timestamptz IS NULL OR links.created_at >= $5)
AND ($6::timestamptz IS NULL OR links.created_at < $6)
