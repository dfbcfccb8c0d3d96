-- $1 webhook, $2 event, $3 now, $4 attempts, $5 the answer. The webhook's row is locked first, as its removal does, and not written
-- for each of many events; the update asks for `hook`, as what it has written itself could not be locked after it.
WITH hook AS MATERIALIZED (
  SELECT id FROM webhooks WHERE id = $1 FOR KEY SHARE
), taken AS (
  DELETE FROM webhook_events USING hook WHERE webhook_id = hook.id AND event_id = $2
  RETURNING webhook_id, event_id, body
), noted AS (
  INSERT INTO webhook_deliveries (webhook_id, event_id, body, attempts, delivered, answer, attempted_at)
  SELECT webhook_id, event_id, body, $4, true, $5, $3 FROM taken
  ON CONFLICT ON CONSTRAINT webhook_deliveries_pkey DO UPDATE
    SET attempts = excluded.attempts, delivered = true, answer = excluded.answer, attempted_at = excluded.attempted_at
)
UPDATE webhooks SET failures = 0, failing_since = NULL, resumes_at = NULL, delivered_at = $3
FROM hook
WHERE webhooks.id = hook.id AND (failures > 0 OR delivered_at IS NULL OR delivered_at < $3::timestamptz - interval '10 seconds')
