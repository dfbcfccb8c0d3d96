-- $1 link, $2 non-bot visits, $3 bot visits to take away. All slots become one row that says what is left
-- (see subtract-traffic.sql).
WITH taken AS (
  DELETE FROM link_visit_slots WHERE link_id = $1 RETURNING potential_bot, visits
), rest AS (
  SELECT potential_bot, sum(visits) AS visits
  FROM (SELECT * FROM taken UNION ALL VALUES (false, -$2::bigint), (true, -$3::bigint)) AS part
  GROUP BY potential_bot
  ORDER BY potential_bot
)
INSERT INTO link_visit_slots AS slot (link_id, potential_bot, slot_id, visits)
SELECT $1::bigint, potential_bot, 0, visits FROM rest WHERE visits <> 0
ON CONFLICT (link_id, potential_bot, slot_id) DO UPDATE SET visits = slot.visits + excluded.visits
