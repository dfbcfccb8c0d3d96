-- $1 most slots a counter may have, $2 rows at most. Slots a link's heat does not ask for (any more).
WITH surplus AS (
  SELECT slot.link_id, slot.potential_bot, slot.slot_id
  FROM link_visit_slots AS slot
  LEFT JOIN link_heat AS heat ON heat.link_id = slot.link_id
  WHERE slot.slot_id > 0 AND slot.slot_id >= least(coalesce(heat.slots, 1), $1::integer)
  ORDER BY slot.link_id, slot.potential_bot, slot.slot_id
  LIMIT $2
  FOR UPDATE OF slot SKIP LOCKED
), taken AS (
  DELETE FROM link_visit_slots AS slot
  USING surplus
  WHERE slot.link_id = surplus.link_id AND slot.potential_bot = surplus.potential_bot
    AND slot.slot_id = surplus.slot_id
  RETURNING slot.link_id, slot.potential_bot, slot.visits
), merged AS (
  INSERT INTO link_visit_slots AS slot (link_id, potential_bot, slot_id, visits)
  SELECT link_id, potential_bot, 0, sum(visits) FROM taken GROUP BY link_id, potential_bot ORDER BY 1, 2
  ON CONFLICT (link_id, potential_bot, slot_id) DO UPDATE SET visits = slot.visits + excluded.visits
)
SELECT count(*)::integer AS rows FROM taken
