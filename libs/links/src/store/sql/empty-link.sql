-- $1 authority (null: the default domain), $2 code, $3 to $5 reach. The row stays, since its code stays taken and since visits that are
-- still on their way must find that they are not wanted. No row: no such link is in the bin.
WITH emptied AS (
  UPDATE links
  SET purged_at = now(), max_visits = NULL, long_url = '', url_hash = NULL, title = NULL, note = NULL, expired_url = NULL,
    redirect_rules = NULL, split = NULL, password_hash = NULL, group_id = NULL, version = version + 1, updated_at = now()
  WHERE domain_id = (SELECT id FROM domains WHERE authority = $1 OR ($1::text IS NULL AND is_default)) AND code = $2
    AND deleted_at IS NOT NULL AND purged_at IS NULL AND within_reach(author_key_id, domain_id, group_id, $3, $4, $5)
  RETURNING id
)
INSERT INTO link_outbox (link_id) SELECT id FROM emptied RETURNING link_id AS id
