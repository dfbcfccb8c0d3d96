-- $1 end of the month being dropped. From then on readers, folder and verifier take what is before from
-- folds and buckets alone.
INSERT INTO ledger_retention AS retention (kept_from) VALUES ($1)
ON CONFLICT (singleton) DO UPDATE SET kept_from = greatest(retention.kept_from, excluded.kept_from)
