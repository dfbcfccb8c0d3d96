-- Arrays in order of arrival: event id (null: only asks), link; $3 source, $4 spool. One row per question, in that order: is
-- there a use for it. Who comes first gets what is left. The rows of the links are locked first, so that `used` is what
-- the others left, on this gateway and on all.
WITH asked AS (
  SELECT event_id, link_id, place, count(event_id) OVER (PARTITION BY link_id ORDER BY place) AS takers
  FROM unnest($1::uuid[], $2::bigint[]) WITH ORDINALITY AS asked (event_id, link_id, place)
), limits AS MATERIALIZED (
  SELECT link_id, coalesce(max_uses, 9223372036854775807) - used AS free
  FROM link_limits
  WHERE link_id = ANY ($2::bigint[]) AND is_based
  ORDER BY link_id
  FOR UPDATE
), answered AS MATERIALIZED (
  SELECT asked.event_id, asked.link_id, asked.place,
    coalesce(CASE WHEN asked.event_id IS NULL THEN takers < free ELSE takers <= free END, false) AS is_free
  FROM asked LEFT JOIN limits ON limits.link_id = asked.link_id
), taken AS (
  INSERT INTO link_uses (event_id, link_id, source, spool)
  SELECT event_id, link_id, $3, $4::uuid FROM answered WHERE is_free AND event_id IS NOT NULL
), spent AS (
  UPDATE link_limits SET used = link_limits.used + taken.uses
  FROM (
    SELECT link_id, count(*) AS uses FROM answered WHERE is_free AND event_id IS NOT NULL GROUP BY link_id
  ) AS taken
  WHERE link_limits.link_id = taken.link_id
)
SELECT is_free FROM answered ORDER BY place
