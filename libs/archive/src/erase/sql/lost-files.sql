-- $1 from, $2 to: damaged files of months the ledger dropped, in whose place nothing has come: active files have less of
-- one of their hours than the buckets say.
SELECT file.path FROM archive_files AS file
WHERE file.state = 'damaged' AND file.period_start < (SELECT kept_from FROM ledger_retention)
  AND file.period_start < $2::timestamptz AND file.period_end > $1::timestamptz
  AND EXISTS (
    SELECT FROM archive_file_hours AS lost
    WHERE lost.file_id = file.id AND (
      SELECT coalesce(sum(visits), 0) FROM scope_traffic
      WHERE scope = 'all' AND scope_id = '' AND bucket >= lost.hour AND bucket < lost.hour + interval '1 hour'
    ) > (
      SELECT coalesce(sum(part.visits), 0) FROM archive_file_hours AS part
      JOIN archive_files AS other ON other.id = part.file_id AND other.state = 'active'
      WHERE part.hour = lost.hour
    )
  )
ORDER BY file.period_start
