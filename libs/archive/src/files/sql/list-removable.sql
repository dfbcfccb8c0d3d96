-- $1: files that ended before it are held by no reader; $2: nor are damaged ones looked at any more, where the
-- ledger has what they held, or nobody needs it.
SELECT id, path FROM archive_files
WHERE deleted_at IS NULL AND (
  (state IN ('replaced', 'expired') AND ended_at < $1::timestamptz)
  OR (state = 'damaged' AND ended_at < $2::timestamptz AND (
    period_start >= coalesce((SELECT kept_from FROM ledger_retention), '-infinity')
    OR period_end <= (SELECT archived_from FROM ledger_retention)
  ))
)
ORDER BY ended_at
