-- $1 name, $2 to $4 reach. Who does not reach all links reaches the tags of those it does, deleted ones too.
SELECT id
FROM tags
WHERE name = $1
  AND (
    ($2::integer IS NULL AND $3::integer IS NULL AND $4::text[] IS NULL)
    OR EXISTS (
      SELECT FROM link_tags JOIN links ON links.id = link_tags.link_id
      WHERE link_tags.tag_id = tags.id AND within_reach(links.author_key_id, links.domain_id, links.group_id, $2, $3, $4)
    )
  )
