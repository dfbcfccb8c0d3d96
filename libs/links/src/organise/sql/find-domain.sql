-- $1 authority (null: the default domain), $2 to $4 reach.
SELECT id, authority
FROM domains
WHERE (authority = $1 OR ($1::text IS NULL AND is_default))
  AND (
    is_default
    OR ($2::integer IS NULL AND $4::text[] IS NULL AND ($3::integer IS NULL OR id = $3))
    OR EXISTS (SELECT FROM links WHERE domain_id = domains.id AND within_reach(author_key_id, domain_id, group_id, $2, $3, $4))
  )
