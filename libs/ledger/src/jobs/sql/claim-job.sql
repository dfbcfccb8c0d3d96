-- $1 kind, $2 who. The oldest one of the kind that no worker is at, or whose worker is silent for a minute.
UPDATE operator_jobs
SET holder = $2, heard_at = now(), per_second = NULL,
  silent_holders = CASE WHEN holder IS NULL THEN silent_holders ELSE silent_holders + 1 END
WHERE id = (
  SELECT id FROM operator_jobs
  WHERE kind = $1 AND state IN ('planning', 'running')
    AND (holder IS NULL OR heard_at < now() - interval '1 minute')
  ORDER BY id
  LIMIT 1
  FOR UPDATE SKIP LOCKED
)
RETURNING id::text AS id, kind, state, parameters, checkpoint, counts, action_id::text AS "actionId", created_at AS "createdAt"
