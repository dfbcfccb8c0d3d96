-- Links that have been cold for so long that no transaction which read their old slots is open any more
-- (statements end after 30 s), and of which nothing is left to merge.
DELETE FROM link_heat AS cold
WHERE slots = 1 AND pinned_slots IS NULL AND folded_from IS NULL AND changed_at < now() - interval '2 minutes'
  AND NOT EXISTS (SELECT FROM link_visit_slots AS slot WHERE slot.link_id = cold.link_id AND slot.slot_id > 0)
