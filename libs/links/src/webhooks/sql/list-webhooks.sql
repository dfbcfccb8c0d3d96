-- $1 a webhook (null: all). Those of alerts are listed with their alerts.
SELECT id, url, description, events, visits, enabled, disabled_reason AS "disabledReason", failing_since AS "failingSince",
  failed_at AS "failedAt", failure, delivered_at AS "deliveredAt", overflowed_at AS "overflowedAt", created_at AS "createdAt",
  (SELECT count(*) FROM webhook_events WHERE webhook_id = id)::integer AS waiting
FROM webhooks
WHERE alert_id IS NULL AND ($1::integer IS NULL OR id = $1)
ORDER BY id
