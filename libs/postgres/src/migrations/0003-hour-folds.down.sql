DROP INDEX link_folds_by_hour;
ALTER TABLE link_dimensions DROP CONSTRAINT link_dimensions_link_id_hour_fkey, DROP CONSTRAINT link_dimensions_pkey;
ALTER TABLE link_dimensions RENAME COLUMN hour TO unit_start;
ALTER TABLE link_dimensions ADD COLUMN unit text NOT NULL COLLATE "C" DEFAULT 'hour';
ALTER TABLE link_dimensions ALTER COLUMN unit DROP DEFAULT;
ALTER TABLE link_folds DROP CONSTRAINT link_folds_pkey;
ALTER TABLE link_folds RENAME COLUMN hour TO unit_start;
ALTER TABLE link_folds ADD COLUMN unit text NOT NULL COLLATE "C" DEFAULT 'hour' CHECK (unit IN ('hour', 'day')),
  ADD COLUMN unit_end timestamptz;
UPDATE link_folds SET unit_end = unit_start + interval '1 hour';
ALTER TABLE link_folds ALTER COLUMN unit DROP DEFAULT, ALTER COLUMN unit_end SET NOT NULL,
  ADD PRIMARY KEY (link_id, unit, unit_start);
ALTER TABLE link_dimensions ADD PRIMARY KEY (link_id, unit, unit_start, dimension, value),
  ADD FOREIGN KEY (link_id, unit, unit_start) REFERENCES link_folds ON DELETE CASCADE;
CREATE TABLE fold_candidates (
  link_id  bigint NOT NULL,
  hour     timestamptz NOT NULL,
  hour_due boolean NOT NULL DEFAULT true,
  noted_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (link_id, hour)
);
CREATE INDEX fold_candidates_by_hour ON fold_candidates (hour);
CREATE INDEX fold_candidates_due ON fold_candidates (hour) WHERE hour_due;
