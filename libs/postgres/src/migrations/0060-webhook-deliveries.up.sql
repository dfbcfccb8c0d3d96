-- How posts to webhooks went: of each webhook the newest 100 events that were posted, for whoever looks why one did not come, and to
-- post them again. What is still to be posted is in webhook_events.
CREATE TABLE webhook_deliveries (
  webhook_id   integer NOT NULL CONSTRAINT webhook_deliveries_webhook_id_fkey REFERENCES webhooks ON DELETE CASCADE,
  event_id     uuid NOT NULL,
  body         text NOT NULL,
  attempts     integer NOT NULL,
  delivered    boolean NOT NULL,
  answer       text NOT NULL,                      -- of the last attempt, in a sentence
  attempted_at timestamptz NOT NULL,
  CONSTRAINT webhook_deliveries_pkey PRIMARY KEY (webhook_id, event_id)
);
CREATE INDEX webhook_deliveries_by_time ON webhook_deliveries (webhook_id, attempted_at);
