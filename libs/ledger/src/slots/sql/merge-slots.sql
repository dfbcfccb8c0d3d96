-- $1 link, $2 potential_bot, $3 slots it keeps. A row that a commit is adding to is waited for and taken
-- as that commit leaves it; one that adds to a row just taken makes it anew, for the next merge.
WITH surplus AS (
  DELETE FROM link_visit_slots
  WHERE link_id = $1 AND potential_bot = $2 AND slot_id >= $3::integer
  RETURNING visits
), merged AS (
  INSERT INTO link_visit_slots AS slot (link_id, potential_bot, slot_id, visits)
  SELECT $1, $2, 0, sum(visits) FROM surplus HAVING count(*) > 0
  ON CONFLICT (link_id, potential_bot, slot_id) DO UPDATE SET visits = slot.visits + excluded.visits
)
SELECT count(*)::integer AS rows FROM surplus
