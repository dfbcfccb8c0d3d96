-- $1 new links as JSON: columns by name, and the authority of the domain; $2 whether codes that differ in case only are
-- the same; $3 filters that have them, for the trigger that notes gaps in the others; $4 whether tags follow, whose names
-- are shared from here on. A row for each that was created; of the others the code or the id is taken, by a link before
-- them in the array as well. `is_heard`: a webhook wants to hear of them. In one order, so that two statements cannot wait for each other.
WITH declared AS MATERIALIZED (
  SELECT set_config('hopcount.link_filters', $3, true),
    CASE WHEN $4::boolean THEN pg_advisory_xact_lock_shared(hashtext('hopcount-names'), 0) END
), created AS (
  INSERT INTO links (
    id, domain_id, code, long_url, url_hash, title, note, group_id, valid_since, valid_until, max_visits, expired_url,
    disabled, forward_query, extra_path, redirect_status, crawlable, redirect_rules, split, password_hash, warn, created_at, author_key_id
  )
  SELECT new.id, domains.id, new.code, new.long_url, new.url_hash, new.title, new.note, new.group_id, new.valid_since,
    new.valid_until, new.max_visits, new.expired_url, new.disabled, new.forward_query, new.extra_path,
    new.redirect_status, new.crawlable, new.redirect_rules, new.split, new.password_hash, new.warn, coalesce(new.created_at, now()),
    new.author_key_id
  FROM declared
  CROSS JOIN jsonb_array_elements($1::jsonb) WITH ORDINALITY AS given (link, place)
  JOIN domains ON domains.authority = given.link ->> 'authority'
  CROSS JOIN LATERAL jsonb_populate_record(NULL::links, given.link) AS new
  WHERE NOT $2::boolean OR NOT EXISTS (
    SELECT FROM links AS held WHERE held.domain_id = domains.id AND lower(held.code) = lower(new.code)
  )
  ORDER BY domains.id, new.code, given.place
  ON CONFLICT DO NOTHING
  RETURNING id, created_at, version
), announced AS (
  INSERT INTO link_outbox (link_id) SELECT id FROM created RETURNING id AS row, link_id
)
SELECT created.id, created.created_at, created.version, announced.row AS announcement,
  EXISTS (SELECT FROM webhooks WHERE enabled AND 'link.created' = ANY (events)) AS is_heard
FROM created JOIN announced ON announced.link_id = created.id
