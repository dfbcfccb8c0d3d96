-- Closed hours and days are answered from files: nothing is folded but the hours of hot links, by their commits.
DROP TABLE fold_candidates;
DELETE FROM link_folds WHERE unit = 'day';
ALTER TABLE link_dimensions DROP CONSTRAINT link_dimensions_link_id_unit_unit_start_fkey, DROP CONSTRAINT link_dimensions_pkey, DROP COLUMN unit;
ALTER TABLE link_dimensions RENAME COLUMN unit_start TO hour;
ALTER TABLE link_folds DROP CONSTRAINT link_folds_pkey, DROP COLUMN unit, DROP COLUMN unit_end;
ALTER TABLE link_folds RENAME COLUMN unit_start TO hour;
-- An hour's aggregates are valid if and only if (visits, checksum) of it and its deltas equal those of its buckets.
ALTER TABLE link_folds ADD PRIMARY KEY (link_id, hour);
ALTER TABLE link_dimensions ADD PRIMARY KEY (link_id, hour, dimension, value),
  ADD FOREIGN KEY (link_id, hour) REFERENCES link_folds ON DELETE CASCADE;
-- They go two days after their hour.
CREATE INDEX link_folds_by_hour ON link_folds (hour);
