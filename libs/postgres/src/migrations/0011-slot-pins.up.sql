-- Slots an operator has set for a link's counters, whatever its heat; null: its heat decides.
ALTER TABLE link_heat ADD COLUMN pinned_slots smallint CHECK (pinned_slots BETWEEN 1 AND 100);
