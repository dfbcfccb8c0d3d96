-- Arrays in key order: link_id, potential_bot, visits; $4 the batch's partition, $5 most slots a counter
-- may have. A link's slots are read, not locked: with a number that just changed the visits stand in
-- another row of the same sum. Returned: the hot links whose hours from `folded_from` on are folded here.
WITH added AS (
  SELECT sums.link_id, sums.potential_bot, sums.visits, heat.folded_from,
    mod($4::integer, least(coalesce(heat.slots, 1), $5::integer)) AS slot_id
  FROM unnest($1::bigint[], $2::boolean[], $3::bigint[]) AS sums (link_id, potential_bot, visits)
  LEFT JOIN link_heat AS heat ON heat.link_id = sums.link_id
), counted AS (
  INSERT INTO link_visit_slots AS slot (link_id, potential_bot, slot_id, visits)
  SELECT link_id, potential_bot, slot_id, visits FROM added ORDER BY link_id, potential_bot
  ON CONFLICT (link_id, potential_bot, slot_id) DO UPDATE SET visits = slot.visits + excluded.visits
)
SELECT DISTINCT link_id, folded_from FROM added WHERE folded_from IS NOT NULL
