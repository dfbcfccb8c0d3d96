-- $1 from, $2 to, $3 classes that count as bots. Links with visits between them whose slots are not what all their buckets say. None where
-- nobody keeps slots (SLOTS=off).
WITH month AS MATERIALIZED (
  SELECT DISTINCT link_id FROM link_traffic
  WHERE bucket >= $1::timestamptz AND bucket < $2::timestamptz AND EXISTS (SELECT FROM link_visit_slots)
), part AS (
  SELECT link_id, class = ANY ($3::smallint[]) AS potential_bot, visits FROM link_traffic JOIN month USING (link_id)
  UNION ALL
  SELECT link_id, potential_bot, -visits FROM link_visit_slots JOIN month USING (link_id)
)
SELECT DISTINCT link_id::text AS link
FROM (SELECT link_id FROM part GROUP BY link_id, potential_bot HAVING sum(visits) <> 0) AS wrong
