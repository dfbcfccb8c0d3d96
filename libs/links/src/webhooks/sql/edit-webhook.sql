-- $1 webhook, $2 the columns to change, by name, $3 whether it is enabled from now on (null: as it is). One that is enabled
-- has no past: what waits is due at once, unless it is older than three days; that goes.
WITH old AS (
  SELECT id, $3::boolean AND NOT enabled AS revives FROM webhooks WHERE id = $1 FOR UPDATE
), dropped AS (
  DELETE FROM webhook_events USING old
  WHERE webhook_id = old.id AND old.revives AND created_at < now() - interval '3 days'
), due AS (
  UPDATE webhook_events SET due_at = now(), attempts = 0 FROM old
  WHERE webhook_id = old.id AND old.revives AND created_at >= now() - interval '3 days'
)
UPDATE webhooks
SET (url, description, events, visits) = (
    SELECT url, description, events, visits FROM jsonb_populate_record(webhooks, $2::jsonb)
  ),
  enabled = coalesce($3, enabled),
  disabled_reason = CASE WHEN $3 IS NULL OR $3 = enabled THEN disabled_reason END,
  failures = CASE WHEN old.revives THEN 0 ELSE failures END,
  failing_since = CASE WHEN NOT old.revives THEN failing_since END,
  resumes_at = CASE WHEN NOT old.revives THEN resumes_at END
FROM old
WHERE webhooks.id = old.id
RETURNING webhooks.id
