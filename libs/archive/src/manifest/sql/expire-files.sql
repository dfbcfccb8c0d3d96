-- $1: visits before it need not be in files any more. Only what the ledger dropped can go, and what has gone has gone. A damaged
-- file that nobody needs any more is no damage any more.
WITH boundary AS (
  UPDATE ledger_retention
  SET archived_from = greatest(archived_from, least($1::timestamptz, kept_from))
  RETURNING archived_from
)
UPDATE archive_files AS file
SET state = 'expired', ended_at = now()
FROM boundary
WHERE file.state IN ('active', 'damaged') AND file.deleted_at IS NULL AND file.period_end <= boundary.archived_from
RETURNING file.id
