-- $1 id, $2 the state it gets, $3 the states it may have. One runs of each kind.
UPDATE operator_jobs AS job
SET state = $2, holder = NULL, heard_at = NULL, per_second = NULL,
  started_at = CASE WHEN $2 = 'running' THEN coalesce(started_at, now()) ELSE started_at END,
  ended_at = CASE WHEN $2 = 'cancelled' THEN now() END,
  step = CASE WHEN $2 = 'paused' THEN step END
WHERE id = $1 AND state = ANY ($3::text[])
  AND ($2 <> 'running' OR NOT EXISTS (SELECT FROM operator_jobs AS other WHERE other.kind = job.kind AND other.state = 'running'))
RETURNING kind, parameters, counts, action_id::text AS "actionId"
