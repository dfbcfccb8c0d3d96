DROP TRIGGER visits_reached ON link_totals;
DROP FUNCTION tell_visits_reached();
DROP FUNCTION queue_webhook_events(text, bigint[]);
DROP FUNCTION webhook_body(text, bigint, bigint);
DROP FUNCTION webhook_has_room(integer);
DROP TABLE webhook_visits, webhook_events, webhooks;
