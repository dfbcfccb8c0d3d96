-- $1: replaced files since before are held by no reader; $2: nor are damaged ones looked at any more, where the
-- ledger has what they held.
SELECT id, path FROM archive_files
WHERE deleted_at IS NULL AND (
  (state = 'replaced' AND ended_at < $1::timestamptz)
  OR (state = 'damaged' AND ended_at < $2::timestamptz
    AND period_start >= coalesce((SELECT kept_from FROM ledger_retention), '-infinity'))
)
ORDER BY ended_at
