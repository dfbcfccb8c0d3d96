-- Arrays in key order: link_id, potential_bot, slot_id, visits.
INSERT INTO link_visit_slots AS slot (link_id, potential_bot, slot_id, visits)
SELECT * FROM unnest($1::bigint[], $2::boolean[], $3::smallint[], $4::bigint[])
ON CONFLICT (link_id, potential_bot, slot_id) DO UPDATE SET visits = slot.visits + excluded.visits
