-- $1 link (null: every link with heat, or with more than one row in a counter),
-- $2 how many at most. The most spread first.
WITH chosen AS (
  SELECT link_id FROM link_heat WHERE $1::bigint IS NULL
  UNION
  SELECT link_id FROM link_visit_slots WHERE slot_id > 0 AND $1::bigint IS NULL
  UNION
  SELECT $1::bigint WHERE $1::bigint IS NOT NULL
)
SELECT
  chosen.link_id, coalesce(heat.heat, 0)::float8 AS heat, coalesce(heat.slots, 1) AS slots, heat.folded_from,
  coalesce(kept.rows, 0)::integer AS rows, coalesce(kept.visits, 0)::float8 AS visits,
  coalesce(counted.visits, 0)::float8 AS counted
FROM chosen
LEFT JOIN link_heat AS heat ON heat.link_id = chosen.link_id
LEFT JOIN LATERAL (
  SELECT count(*) AS rows, sum(visits) AS visits FROM link_visit_slots AS slot WHERE slot.link_id = chosen.link_id
) AS kept ON true
LEFT JOIN LATERAL (
  SELECT sum(visits) AS visits FROM link_traffic AS traffic WHERE traffic.link_id = chosen.link_id
) AS counted ON true
ORDER BY kept.rows DESC, heat DESC, chosen.link_id
LIMIT $2
