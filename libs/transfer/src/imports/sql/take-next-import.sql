-- Uploads that nobody ended are over after a day: their client is gone.
WITH forgotten AS (
  UPDATE imports SET state = 'failed', failure = 'The file did not arrive whole.', ended_at = now()
  WHERE state = 'uploading' AND created_at < now() - interval '1 day' RETURNING id
), removed AS (
  DELETE FROM import_parts USING forgotten WHERE import_id = forgotten.id
)
UPDATE imports SET state = 'running', started_at = coalesce(started_at, now())
WHERE id = (SELECT id FROM imports WHERE state IN ('waiting', 'running') ORDER BY id LIMIT 1)
  AND state IN ('waiting', 'running')
RETURNING id
