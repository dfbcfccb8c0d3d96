-- Whether what is about to be changed could be had back: the archive of PostgreSQL's WAL, and the last verification that a
-- worker made for somebody. Times in seconds ago; null: never.
SELECT
  current_setting('archive_mode') <> 'off' AS is_archiving,
  extract(epoch FROM clock_timestamp() - archiver.last_archived_time)::float8 AS archived_ago,
  coalesce(archiver.last_failed_time > coalesce(archiver.last_archived_time, '-infinity'), false) AS is_failing,
  (SELECT extract(epoch FROM clock_timestamp() - max(ended_at))::float8 FROM operator_actions
   WHERE command = 'verify' AND outcome = 'done') AS verified_ago,
  (SELECT outcome FROM operator_actions WHERE command = 'verify' AND outcome IN ('done', 'mismatch')
   ORDER BY ended_at DESC LIMIT 1) AS last_outcome
FROM pg_stat_archiver AS archiver
