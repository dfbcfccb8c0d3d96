-- $1 link, $2 version it must have (null: any), $3 the columns to change, by name, $4 to $6 reach. One row or none: the version
-- fences off whoever looked at an older one, the reach whoever looked before it left.
WITH edited AS (
  UPDATE links
  SET (
      long_url, url_hash, title, note, group_id, valid_since, valid_until, max_visits, expired_url, disabled,
      forward_query, extra_path, redirect_status, crawlable, redirect_rules, split, password_hash, warn
    ) = (
      SELECT long_url, url_hash, title, note, group_id, valid_since, valid_until, max_visits, expired_url, disabled,
        forward_query, extra_path, redirect_status, crawlable, redirect_rules, split, password_hash, warn
      FROM jsonb_populate_record(links, $3::jsonb)
    ),
    version = version + 1,
    updated_at = now()
  WHERE id = $1 AND deleted_at IS NULL AND ($2::bigint IS NULL OR version = $2)
    AND within_reach(author_key_id, domain_id, group_id, $4, $5, $6)
  RETURNING id
)
INSERT INTO link_outbox (link_id) SELECT id FROM edited RETURNING link_id
