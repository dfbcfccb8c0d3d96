-- $1 link ids, $2 classes that count as bots. Adds to slot 0 what the slots lack of the buckets (or takes off
-- what they have too much). One snapshot shows a concurrent commit in both or in neither, and adding
-- commutes with what it adds: no commit has to wait.
WITH counted AS (
  SELECT link_id, class = ANY ($2::smallint[]) AS potential_bot, sum(visits) AS visits
  FROM link_traffic WHERE link_id = ANY ($1::bigint[]) GROUP BY 1, 2
), kept AS (
  SELECT link_id, potential_bot, sum(visits) AS visits
  FROM link_visit_slots WHERE link_id = ANY ($1::bigint[]) GROUP BY 1, 2
), missing AS (
  SELECT link_id, potential_bot, coalesce(counted.visits, 0) - coalesce(kept.visits, 0) AS visits
  FROM counted FULL JOIN kept USING (link_id, potential_bot)
  WHERE coalesce(counted.visits, 0) <> coalesce(kept.visits, 0)
), added AS (
  INSERT INTO link_visit_slots AS slot (link_id, potential_bot, slot_id, visits)
  SELECT link_id, potential_bot, 0, visits FROM missing ORDER BY 1, 2
  ON CONFLICT (link_id, potential_bot, slot_id) DO UPDATE SET visits = slot.visits + excluded.visits
)
SELECT count(*)::integer AS counters, coalesce(sum(abs(visits)), 0)::float8 AS visits FROM missing
