-- $1 webhook, $2 how many that were tried, $3 how many of those that wait for their first attempt.
WITH waiting AS (
  SELECT event_id, body, attempts, due_at FROM webhook_events
  WHERE webhook_id = $1 AND NOT EXISTS (
    SELECT FROM webhook_deliveries AS tried
    WHERE tried.webhook_id = webhook_events.webhook_id AND tried.event_id = webhook_events.event_id
  )
  ORDER BY due_at, event_id
  LIMIT $3
), tried AS (
  SELECT event_id, body, attempts, delivered, answer, attempted_at FROM webhook_deliveries
  WHERE webhook_id = $1
  ORDER BY attempted_at DESC, event_id
  LIMIT $2
), listed AS (
  SELECT event_id, body, attempts, 'waiting' AS state, NULL AS answer, NULL::timestamptz AS attempted_at, due_at FROM waiting
  UNION ALL
  SELECT tried.event_id, tried.body, tried.attempts,
    CASE
      WHEN again.event_id IS NULL THEN CASE WHEN delivered THEN 'delivered' ELSE 'given-up' END
      -- Whoever asked for it to be posted again has taken it before.
      WHEN delivered THEN 'waiting'
      ELSE 'retrying'
    END, answer, attempted_at, again.due_at
  FROM tried LEFT JOIN webhook_events AS again ON again.webhook_id = $1 AND again.event_id = tried.event_id
)
SELECT event_id AS "eventId", coalesce(body::json ->> 'type', '') AS type, state, attempts, answer,
  attempted_at AS "attemptedAt", CASE WHEN webhooks.enabled THEN greatest(due_at, resumes_at) END AS "nextAttemptAt"
FROM listed JOIN webhooks ON webhooks.id = $1
ORDER BY attempted_at IS NULL DESC, attempted_at DESC, due_at, event_id
