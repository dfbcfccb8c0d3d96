DROP FUNCTION link_policy(links);
ALTER TABLE links DROP COLUMN valid_since, DROP COLUMN valid_until, DROP COLUMN max_visits, DROP COLUMN expired_url,
  DROP COLUMN disabled, DROP COLUMN forward_query, DROP COLUMN extra_path, DROP COLUMN redirect_status, DROP COLUMN crawlable;
