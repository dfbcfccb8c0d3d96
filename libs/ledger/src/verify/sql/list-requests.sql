-- $1 how many. Verifications that were started, the newest first.
SELECT id::text AS id, asked_by AS "startedBy", started_at AS "startedAt", ended_at AS "endedAt",
  CASE WHEN state = 'cancelled' THEN 'It was cancelled.' ELSE error END AS error,
  CASE
    WHEN state = 'cancelled' THEN 'failed'
    WHEN state <> 'running' THEN state
    WHEN holder IS NULL THEN 'waiting'
    WHEN heard_at < now() - interval '1 minute' THEN 'broken-off'
    ELSE 'running'
  END AS state,
  step, (counts ->> 'visits')::float8 AS visits, (counts ->> 'differences')::float8 AS differences
FROM operator_jobs
WHERE kind = 'verify' AND started_at IS NOT NULL
ORDER BY operator_jobs.started_at DESC, operator_jobs.id DESC
LIMIT $1
