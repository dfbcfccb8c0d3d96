ALTER TABLE link_heat DROP COLUMN pinned_slots;
