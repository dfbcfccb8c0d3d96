-- As of 0022.
-- In the transaction of a change, after it: the same event, under one id, for every webhook that wants to hear of it.
CREATE OR REPLACE FUNCTION queue_webhook_events(event text, link_ids bigint[]) RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM webhooks WHERE enabled AND event = ANY (events)) THEN
    RETURN;
  END IF;
  WITH told AS MATERIALIZED (
    SELECT gen_random_uuid() AS event_id, webhook_body(event, link_id, NULL) AS body
    FROM unnest(link_ids) AS given (link_id)
  )
  INSERT INTO webhook_events (webhook_id, event_id, body)
  SELECT hearing.id, told.event_id, told.body
  FROM (
    SELECT id FROM webhooks WHERE enabled AND event = ANY (events) AND webhook_has_room(id) ORDER BY id
  ) AS hearing
  CROSS JOIN told
  WHERE told.body IS NOT NULL;
END $$;

-- Totals are written by the worker, in batches, never by the commits of visits. A link has its row of them from its
-- creation on, so an update is how it gets more visits.
CREATE OR REPLACE FUNCTION tell_visits_reached() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM webhooks WHERE enabled AND visits <> '{}') THEN
    RETURN NULL;
  END IF;
  WITH grown AS (
    SELECT link_id, sum(after_visits) AS visits, sum(before_visits) AS visits_before
    FROM (
      SELECT link_id, visits AS after_visits, 0 AS before_visits FROM after
      UNION ALL
      SELECT link_id, 0, visits FROM before
    ) AS parts
    GROUP BY link_id
    HAVING sum(after_visits) > sum(before_visits)
  ), reached AS (
    INSERT INTO webhook_visits (webhook_id, link_id, visits)
    SELECT webhooks.id, grown.link_id, number
    FROM grown
    CROSS JOIN webhooks
    CROSS JOIN LATERAL unnest(webhooks.visits) AS number
    WHERE webhooks.enabled AND number > grown.visits_before AND number <= grown.visits
    ORDER BY 1, 2, 3
    ON CONFLICT DO NOTHING
    RETURNING webhook_id, link_id, visits
  )
  INSERT INTO webhook_events (webhook_id, body)
  SELECT webhook_id, body
  FROM (
    SELECT webhook_id, webhook_body('link.visits_reached', link_id, visits) AS body FROM reached
    WHERE webhook_has_room(webhook_id)
  ) AS told
  WHERE body IS NOT NULL;
  RETURN NULL;
END $$;
