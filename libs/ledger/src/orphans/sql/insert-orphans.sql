-- Each event once, and none that a purge deleted for good or an erasure of its address; how many came, also to those who follow them.
WITH added AS (
  INSERT INTO orphan_visits (
    occurred_at, event_id, type, class, enrichment_version, domain, path, ip, client_ip, latitude, longitude,
    country, region, city, referrer, user_agent, truncated, source
  )
  SELECT
    orphan.occurred_at, orphan.event_id, orphan.type, orphan.class, $5, orphan.domain, orphan.path, orphan.ip,
    orphan.client_ip, orphan.latitude, orphan.longitude, orphan.country, orphan.region, orphan.city,
    orphan.referrer, orphan.user_agent,
    CASE WHEN orphan.truncated = '' THEN NULL ELSE string_to_array(orphan.truncated, ',') END, orphan.source
  FROM unnest(
    $1::timestamptz[], $2::uuid[], $3::smallint[], $4::smallint[], $6::text[], $7::text[], $8::bigint[],
    $9::inet[], $10::real[], $11::real[], $12::text[], $13::text[], $14::text[], $15::text[], $16::text[],
    $17::text[], $18::text[]
  ) AS orphan (
    occurred_at, event_id, type, class, domain, path, ip, client_ip, latitude, longitude, country, region, city,
    referrer, user_agent, truncated, source
  )
  WHERE orphan.occurred_at >= (SELECT purged_before FROM orphan_horizon)
    AND NOT EXISTS (
      SELECT FROM erasures AS erased
      WHERE erased.person = 'ip' AND erased.hash = orphan.ip
        AND orphan.occurred_at >= erased.occurred_from AND orphan.occurred_at < erased.occurred_before
    )
  ORDER BY orphan.occurred_at, orphan.event_id
  ON CONFLICT DO NOTHING
  RETURNING event_id
), fed AS (
  INSERT INTO visit_feed (event_ids)
  SELECT array_agg(event_id) FROM added
  WHERE EXISTS (SELECT FROM visit_feed_state WHERE wanted_until > now())
  HAVING count(*) > 0
)
SELECT count(*)::integer AS added FROM added
