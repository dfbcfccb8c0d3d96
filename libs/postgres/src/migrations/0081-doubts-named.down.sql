ALTER TABLE host_changes DROP COLUMN is_correction;
DROP FUNCTION own_host_sums_are_exact;
ALTER TABLE doubted_sums DROP COLUMN since;
ALTER TABLE doubted_sums DROP COLUMN checks;
