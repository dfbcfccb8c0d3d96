-- Arrays in key order: link_id, potential_bot, visits; $4 the slot of this batch's partition.
INSERT INTO link_visit_slots AS slot (link_id, potential_bot, slot_id, visits)
SELECT added.link_id, added.potential_bot, $4::smallint, added.visits
FROM unnest($1::bigint[], $2::boolean[], $3::bigint[]) AS added (link_id, potential_bot, visits)
ON CONFLICT (link_id, potential_bot, slot_id) DO UPDATE SET visits = slot.visits + excluded.visits
