-- $1 how many buckets, $2 classes that count as bots. Of links visited within the hour: visits by which the slots
-- differ from the buckets, in one snapshot.
WITH recent AS (
  SELECT DISTINCT link_id
  FROM (SELECT link_id FROM link_traffic WHERE bucket >= now() - interval '1 hour' LIMIT $1) AS traffic
), kept AS (
  SELECT slot.link_id, slot.potential_bot, sum(slot.visits) AS visits
  FROM link_visit_slots AS slot JOIN recent ON recent.link_id = slot.link_id
  GROUP BY 1, 2
), counted AS (
  SELECT traffic.link_id, traffic.class = ANY ($2::smallint[]) AS potential_bot, sum(traffic.visits) AS visits
  FROM link_traffic AS traffic JOIN recent ON recent.link_id = traffic.link_id
  GROUP BY 1, 2
)
SELECT
  (SELECT count(*) FROM recent)::integer AS links,
  coalesce(sum(abs(coalesce(kept.visits, 0) - coalesce(counted.visits, 0))), 0)::float8 AS drift
FROM kept
FULL JOIN counted ON counted.link_id = kept.link_id AND counted.potential_bot = kept.potential_bot
