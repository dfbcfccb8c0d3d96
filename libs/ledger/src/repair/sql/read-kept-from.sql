-- Instant from which the ledger is whole.
SELECT coalesce((SELECT kept_from FROM ledger_retention), '-infinity')::text AS kept_from
