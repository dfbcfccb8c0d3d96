-- What the consumer finds out of each visit from now on; null: before. Which way it came, and which rule chose its class (its
-- place in CLASS_REASONS of contracts).
ALTER TABLE visits
  ADD COLUMN channel      text COLLATE "C",
  ADD COLUMN class_reason smallint;
