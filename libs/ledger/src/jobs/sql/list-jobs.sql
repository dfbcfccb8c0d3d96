-- $1 a job's id; null: the newest of all. $2 how many.
SELECT id::text AS id, kind, parameters, state, asked_by AS "askedBy", created_at AS "createdAt", started_at AS "startedAt",
  ended_at AS "endedAt", plan, counts, step, done::float8 AS done, total::float8 AS total, error,
  holder IS NOT NULL AND heard_at > now() - interval '1 minute' AS "isHeld",
  CASE WHEN state = 'running' THEN per_second END AS "perSecond",
  CASE WHEN state = 'running' AND per_second > 0 AND total >= done THEN (total - done) / per_second END AS "secondsLeft"
FROM operator_jobs
WHERE $1::bigint IS NULL OR id = $1
ORDER BY operator_jobs.id DESC
LIMIT $2
