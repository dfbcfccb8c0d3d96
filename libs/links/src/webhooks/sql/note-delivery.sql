-- $1 webhook, $2 event, $3 now. The webhook's row is not written for each of many events.
WITH delivered AS (
  DELETE FROM webhook_events WHERE webhook_id = $1 AND event_id = $2
)
UPDATE webhooks SET failures = 0, failing_since = NULL, resumes_at = NULL, delivered_at = $3
WHERE id = $1 AND (failures > 0 OR delivered_at IS NULL OR delivered_at < $3::timestamptz - interval '10 seconds')
