-- $1 link (null: links with heat or with rows beyond slot 0, and the most visited ones), $2 how many at most,
-- $3 classes that count as bots. The most spread first. One snapshot: buckets and slots belong together.
WITH chosen AS (
  SELECT link_id FROM link_heat WHERE $1::bigint IS NULL
  UNION
  SELECT link_id FROM link_visit_slots WHERE slot_id > 0 AND $1::bigint IS NULL
  UNION
  SELECT link_id FROM (SELECT link_id FROM link_totals ORDER BY visits DESC LIMIT $2) AS most
  WHERE $1::bigint IS NULL
  UNION
  SELECT $1::bigint WHERE $1::bigint IS NOT NULL
)
SELECT
  chosen.link_id AS "linkId", link.code, coalesce(heat.heat, 0)::float8 AS heat, coalesce(heat.slots, 1) AS slots,
  heat.pinned_slots AS "pinnedSlots", heat.folded_from AS "foldedFrom",
  counters.rows, counters.visits, counters.drift
FROM chosen
LEFT JOIN links AS link ON link.id = chosen.link_id
LEFT JOIN link_heat AS heat ON heat.link_id = chosen.link_id
CROSS JOIN LATERAL (
  SELECT
    coalesce(sum(kept.rows), 0)::integer AS rows,
    coalesce(sum(kept.visits), 0)::float8 AS visits,
    coalesce(sum(abs(coalesce(kept.visits, 0) - coalesce(counted.visits, 0))), 0)::float8 AS drift
  FROM (
    SELECT potential_bot, count(*) AS rows, sum(visits) AS visits
    FROM link_visit_slots AS slot WHERE slot.link_id = chosen.link_id GROUP BY potential_bot
  ) AS kept
  FULL JOIN (
    SELECT class = ANY ($3::smallint[]) AS potential_bot, sum(visits) AS visits
    FROM link_traffic AS traffic WHERE traffic.link_id = chosen.link_id GROUP BY 1
  ) AS counted ON counted.potential_bot = kept.potential_bot
) AS counters
ORDER BY slots DESC, counters.rows DESC, heat DESC, counters.visits DESC, chosen.link_id
LIMIT $2
