-- $1 classes that count as bots.
INSERT INTO link_visit_slots AS slot (link_id, potential_bot, slot_id, visits)
SELECT link_id, part.class = ANY ($1::smallint[]), 0, sum(part.visits)
FROM moves CROSS JOIN LATERAL (VALUES (from_class, -visits), (moves.class, visits)) AS part (class, visits)
GROUP BY 1, 2
HAVING sum(part.visits) <> 0
ORDER BY 1, 2
ON CONFLICT (link_id, potential_bot, slot_id) DO UPDATE SET visits = slot.visits + excluded.visits
