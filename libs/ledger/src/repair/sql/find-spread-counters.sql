-- $1 link ids, $2 most slots a counter may have. Counters with rows in slots their link's heat does not ask for.
SELECT DISTINCT slot.link_id, slot.potential_bot, least(coalesce(heat.slots, 1), $2::integer) AS keep
FROM link_visit_slots AS slot
LEFT JOIN link_heat AS heat ON heat.link_id = slot.link_id
WHERE slot.link_id = ANY ($1::bigint[]) AND slot.slot_id >= least(coalesce(heat.slots, 1), $2::integer)
ORDER BY 1, 2
