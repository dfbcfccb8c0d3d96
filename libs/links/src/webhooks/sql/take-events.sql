-- $1 webhook, $2 now, $3 how many (of one that fails: one), $4 seconds after which they are due again, should we die.
WITH hook AS (
  SELECT id, url, secret, failures FROM webhooks WHERE id = $1 AND enabled AND (resumes_at IS NULL OR resumes_at <= $2)
), due AS (
  SELECT event_id FROM webhook_events
  WHERE webhook_id = (SELECT id FROM hook) AND due_at <= $2
  ORDER BY due_at
  LIMIT (SELECT CASE WHEN failures > 0 THEN 1 ELSE $3::integer END FROM hook)
  FOR UPDATE SKIP LOCKED
)
UPDATE webhook_events SET due_at = $2::timestamptz + make_interval(secs => $4), attempts = attempts + 1
FROM due, hook
WHERE webhook_events.webhook_id = hook.id AND webhook_events.event_id = due.event_id
RETURNING webhook_events.webhook_id AS "webhookId", webhook_events.event_id AS "eventId", body, attempts, url, secret
