-- $1 id, $2 authority, $3 code, $4 all other columns, by name. No row: the code or the id is taken.
WITH created AS (
  INSERT INTO links (
    id, domain_id, code, long_url, title, group_id, valid_since, valid_until, max_visits, expired_url, disabled,
    forward_query, extra_path, redirect_status, crawlable
  )
  SELECT $1::bigint, domains.id, $3::text, given.long_url, given.title, given.group_id, given.valid_since,
    given.valid_until, given.max_visits, given.expired_url, given.disabled, given.forward_query, given.extra_path,
    given.redirect_status, given.crawlable
  FROM domains, jsonb_populate_record(NULL::links, $4::jsonb) AS given
  WHERE domains.authority = $2
  ON CONFLICT DO NOTHING
  RETURNING id, created_at, version
), announced AS (
  INSERT INTO link_outbox (link_id) SELECT id FROM created
)
SELECT created_at, version FROM created
