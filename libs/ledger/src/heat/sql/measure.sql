-- $1 start of the window, $2 heat from which a link without a row is worth one, $3 rows at most.
SELECT
  coalesce(recent.link_id, kept.link_id) AS link_id,
  coalesce(recent.visits, 0)::float8 AS heat,
  kept.slots,
  kept.pinned_slots,
  kept.folded_from
FROM (
  SELECT link_id, sum(visits) AS visits FROM link_traffic WHERE bucket >= $1::timestamptz GROUP BY link_id
) AS recent
FULL JOIN link_heat AS kept ON kept.link_id = recent.link_id
WHERE recent.visits >= $2::bigint OR kept.link_id IS NOT NULL
-- Those that have a row first: one that cooled has to lose it.
ORDER BY kept.link_id IS NULL, recent.visits DESC
LIMIT $3
