-- $1 webhook, $2 event. What still waits is due at once, what was taken or given up is posted anew.
WITH hook AS MATERIALIZED (
  SELECT id FROM webhooks WHERE id = $1 AND alert_id IS NULL AND enabled FOR KEY SHARE
)
INSERT INTO webhook_events AS queued (webhook_id, event_id, body)
SELECT webhook_id, event_id, body
FROM webhook_deliveries AS tried JOIN hook ON hook.id = webhook_id
WHERE event_id = $2 AND (
  webhook_has_room(webhook_id)
  OR EXISTS (SELECT FROM webhook_events AS waiting WHERE waiting.webhook_id = tried.webhook_id AND waiting.event_id = $2)
)
ON CONFLICT ON CONSTRAINT webhook_events_pkey DO UPDATE SET due_at = least(queued.due_at, now())
RETURNING event_id AS "eventId"
