-- $1 authority (null: the default domain), $2 code, $3 to $5 reach. Open uses of a link in the bin: locked before its limit, as commits do.
SELECT FROM link_uses
WHERE link_id = (
  SELECT id FROM links
  WHERE domain_id = (SELECT id FROM domains WHERE authority = $1 OR ($1::text IS NULL AND is_default)) AND code = $2
    AND deleted_at IS NOT NULL AND purged_at IS NULL AND within_reach(author_key_id, domain_id, group_id, $3, $4, $5)
)
ORDER BY event_id
FOR UPDATE
