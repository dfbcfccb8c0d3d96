-- Whoever puts visits into the ledger locks a row first and looks at marks of purges and erasures afterwards, so that a purge
-- that locks the same rows knows who has ended. Commits have their checkpoints, imports their row of `imports`; those that have
-- no row of their own have one here.
CREATE TABLE visit_writers (name text COLLATE "C" PRIMARY KEY);
INSERT INTO visit_writers (name) VALUES ('restore-month');
