-- What waits of alerts whose owners may not see the visits, or write to that address, any more is never sent: see find-due.sql.
DELETE FROM webhook_events
USING webhooks, alerts
WHERE webhooks.id = webhook_id AND alerts.id = webhooks.alert_id
  AND NOT (alert_is_seen(alerts) AND alert_may_reach(alerts, webhooks.url))
