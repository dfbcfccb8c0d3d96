-- Parallel arrays: $1 link (each once), $2 non-bot visits, $3 bot visits to take away. All slots of a link become one row
-- that says what is left (see subtract-traffic.sql).
WITH minus AS (
  SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[]) AS loss (link_id, people, bots)
), locked AS MATERIALIZED (
  SELECT link_id, potential_bot, slot_id FROM link_visit_slots
  WHERE link_id = ANY ($1::bigint[])
  ORDER BY link_id, potential_bot, slot_id
  FOR UPDATE
), taken AS (
  DELETE FROM link_visit_slots AS slot
  USING locked
  WHERE slot.link_id = locked.link_id AND slot.potential_bot = locked.potential_bot AND slot.slot_id = locked.slot_id
  RETURNING slot.link_id, slot.potential_bot, slot.visits
), rest AS (
  SELECT link_id, potential_bot, sum(visits) AS visits
  FROM (
    SELECT * FROM taken
    UNION ALL SELECT link_id, false, -people FROM minus
    UNION ALL SELECT link_id, true, -bots FROM minus
  ) AS part
  GROUP BY link_id, potential_bot
  ORDER BY link_id, potential_bot
)
INSERT INTO link_visit_slots AS slot (link_id, potential_bot, slot_id, visits)
SELECT link_id, potential_bot, 0, visits FROM rest WHERE visits <> 0
ON CONFLICT (link_id, potential_bot, slot_id) DO UPDATE SET visits = slot.visits + excluded.visits
