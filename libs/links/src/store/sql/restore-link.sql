-- $1 authority (null: the default domain), $2 code, $3 to $5 reach. No row: no such link is in the bin.
WITH restored AS (
  UPDATE links
  SET deleted_at = NULL, version = version + 1, updated_at = now()
  WHERE domain_id = (SELECT id FROM domains WHERE authority = $1 OR ($1::text IS NULL AND is_default)) AND code = $2
    AND deleted_at IS NOT NULL AND purged_at IS NULL AND within_reach(author_key_id, domain_id, group_id, $3, $4, $5)
  RETURNING id
)
INSERT INTO link_outbox (link_id) SELECT id FROM restored RETURNING link_id AS id
