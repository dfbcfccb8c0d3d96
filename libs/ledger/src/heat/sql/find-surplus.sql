-- $1 most slots a counter may have. Counters of links that cooled with rows in slots they no longer use.
SELECT DISTINCT slot.link_id, slot.potential_bot, least(heat.slots, $1::integer) AS keep
FROM link_heat AS heat
JOIN link_visit_slots AS slot ON slot.link_id = heat.link_id
WHERE slot.slot_id >= least(heat.slots, $1::integer)
ORDER BY 1, 2
