-- $1 link, $2 non-bot visits, $3 bot visits to take away. From the lowest slots first, none below zero,
-- whatever slots there are; all are locked first, in key order. What they do not hold (a change of slots
-- moved it while we waited) goes to slot 0: increments commute, so the sum is right in any case.
WITH minus AS (
  SELECT * FROM (VALUES (false, $2::bigint), (true, $3::bigint)) AS pair (potential_bot, visits) WHERE visits > 0
), slot AS MATERIALIZED (
  SELECT potential_bot, slot_id, greatest(visits, 0) AS visits
  FROM link_visit_slots
  WHERE link_id = $1
  ORDER BY potential_bot, slot_id
  FOR UPDATE
), taken AS (
  SELECT slot.potential_bot, slot.slot_id, greatest(0, least(slot.visits, minus.visits - (sum(slot.visits) OVER lower_ones - slot.visits))) AS visits
  FROM slot JOIN minus ON minus.potential_bot = slot.potential_bot
  WINDOW lower_ones AS (PARTITION BY slot.potential_bot ORDER BY slot.slot_id)
), rest AS (
  SELECT minus.potential_bot, 0::smallint AS slot_id,
    minus.visits - coalesce((SELECT sum(visits) FROM taken WHERE taken.potential_bot = minus.potential_bot), 0) AS visits
  FROM minus
)
INSERT INTO link_visit_slots AS kept (link_id, potential_bot, slot_id, visits)
SELECT $1::bigint, potential_bot, slot_id, -sum(visits)
FROM (SELECT * FROM taken UNION ALL SELECT * FROM rest) AS part
GROUP BY potential_bot, slot_id
HAVING sum(visits) > 0
ORDER BY potential_bot, slot_id
ON CONFLICT (link_id, potential_bot, slot_id) DO UPDATE SET visits = kept.visits + excluded.visits
