-- $1 now. Webhooks for which something is due; what is full is noted first. Of alerts only those whose owners
-- may see the visits, and write to that address, now.
WITH overflowed AS (
  UPDATE webhooks SET overflowed_at = $1
  WHERE enabled AND (overflowed_at IS NULL OR overflowed_at < $1::timestamptz - interval '1 minute')
    AND NOT webhook_has_room(id)
)
SELECT id FROM webhooks
WHERE enabled AND (resumes_at IS NULL OR resumes_at <= $1)
  AND EXISTS (SELECT FROM webhook_events WHERE webhook_id = webhooks.id AND due_at <= $1)
  AND (alert_id IS NULL OR (SELECT alert_is_seen(alerts) AND alert_may_reach(alerts, url) FROM alerts WHERE alerts.id = alert_id))
ORDER BY id
