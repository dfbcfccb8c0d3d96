-- $1 people, $2 bots whose rows are gone. From slot 0, which may go below zero: only sums are read.
INSERT INTO orphan_visit_slots AS slot (potential_bot, slot_id, visits)
SELECT taken.potential_bot, 0, -taken.visits
FROM (VALUES (false, $1::bigint), (true, $2::bigint)) AS taken (potential_bot, visits)
WHERE taken.visits > 0
ORDER BY taken.potential_bot
ON CONFLICT (potential_bot, slot_id) DO UPDATE SET visits = slot.visits + excluded.visits
