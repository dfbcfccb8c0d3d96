-- DuckDB: those of them that are not in the ledger (any more), or there twice.
CREATE OR REPLACE TEMP TABLE surplus AS
SELECT held.* FROM held LEFT JOIN (SELECT event_id, true AS counted FROM ledger) USING (event_id)
WHERE copy > 1 OR counted IS NULL
