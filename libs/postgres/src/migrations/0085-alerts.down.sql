DELETE FROM webhooks WHERE alert_id IS NOT NULL;
ALTER TABLE webhooks DROP COLUMN alert_id;
DROP FUNCTION alert_is_counted(alerts);
DROP FUNCTION alert_is_seen(alerts);
DROP TABLE alerts;
