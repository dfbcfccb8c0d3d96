-- $1 classes that count as bots. Rows less slots, of one snapshot, added to slot 0; one row for each
-- counter that was wrong.
WITH wrong AS (
  SELECT coalesce(counted.potential_bot, kept.potential_bot) AS potential_bot,
    coalesce(counted.visits, 0) - coalesce(kept.visits, 0) AS missing
  FROM (
    SELECT class = ANY ($1::smallint[]) AS potential_bot, count(*) AS visits FROM orphan_visits GROUP BY 1
  ) AS counted
  FULL JOIN (
    SELECT potential_bot, sum(visits) AS visits FROM orphan_visit_slots GROUP BY 1
  ) AS kept ON kept.potential_bot = counted.potential_bot
)
INSERT INTO orphan_visit_slots AS slot (potential_bot, slot_id, visits)
SELECT potential_bot, 0, missing FROM wrong WHERE missing <> 0 ORDER BY potential_bot
ON CONFLICT (potential_bot, slot_id) DO UPDATE SET visits = slot.visits + excluded.visits
RETURNING potential_bot
