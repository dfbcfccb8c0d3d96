DROP TABLE ledger_retention;
DROP INDEX fold_candidates_due;
ALTER TABLE fold_candidates DROP COLUMN hour_due;
DROP FUNCTION ledger_dimensions(bigint, timestamptz[], timestamptz[]);
