-- $1 how many. Verifications that were asked for, the newest first.
SELECT id::text AS id, operator AS "startedBy", started_at AS "startedAt", ended_at AS "endedAt", error,
  CASE
    WHEN ended_at IS NOT NULL THEN outcome
    WHEN NOT counts ? 'heardAt' THEN 'waiting'
    WHEN (counts ->> 'heardAt')::timestamptz < now() - interval '1 minute' THEN 'broken-off'
    ELSE 'running'
  END AS state,
  counts ->> 'step' AS step, (counts ->> 'visits')::float8 AS visits, (counts ->> 'differences')::float8 AS differences
FROM operator_actions
WHERE command = 'verify'
ORDER BY operator_actions.id DESC
LIMIT $1
