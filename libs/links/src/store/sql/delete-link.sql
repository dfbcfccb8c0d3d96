-- $1 link, $2 version it must have (null: any), $3 to $5 reach. The row stays: its visits stay counted, its code taken.
WITH deleted AS (
  UPDATE links
  SET deleted_at = now(), version = version + 1, updated_at = now()
  WHERE id = $1 AND deleted_at IS NULL AND ($2::bigint IS NULL OR version = $2)
    AND within_reach(author_key_id, domain_id, group_id, $3, $4, $5)
  RETURNING id
)
INSERT INTO link_outbox (link_id) SELECT id FROM deleted RETURNING link_id
