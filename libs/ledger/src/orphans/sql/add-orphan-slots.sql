-- $1 people, $2 bots counted by this batch, $3 slot. In key order, as every writer of slots.
INSERT INTO orphan_visit_slots AS slot (potential_bot, slot_id, visits)
SELECT added.potential_bot, $3::smallint, added.visits
FROM (VALUES (false, $1::bigint), (true, $2::bigint)) AS added (potential_bot, visits)
WHERE added.visits > 0
ORDER BY added.potential_bot
ON CONFLICT (potential_bot, slot_id) DO UPDATE SET visits = slot.visits + excluded.visits
