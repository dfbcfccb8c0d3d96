-- Where events of links are posted to, and how that goes.
CREATE TABLE webhooks (
  id              integer GENERATED ALWAYS AS IDENTITY CONSTRAINT webhooks_pkey PRIMARY KEY,
  url             text NOT NULL,
  description     text NOT NULL,
  events          text[] NOT NULL,
  visits          bigint[] NOT NULL,               -- numbers of visits of a link that are told
  secret          bytea NOT NULL,                  -- what is posted is signed with it, so it has to be kept as it is
  enabled         boolean NOT NULL DEFAULT true,
  disabled_reason text,                            -- null: it is enabled, or somebody disabled it
  failures        integer NOT NULL DEFAULT 0,      -- in a row
  failing_since   timestamptz,
  resumes_at      timestamptz,                     -- nothing is posted before
  failed_at       timestamptz,                     -- the last time
  failure         text,
  delivered_at    timestamptz,                     -- the last time, to ten seconds
  overflowed_at   timestamptz,                     -- when it was last found with as many events as may wait
  created_at      timestamptz NOT NULL DEFAULT now()
);

-- Events that wait to be posted, written by the transaction they tell of.
CREATE TABLE webhook_events (
  webhook_id integer NOT NULL CONSTRAINT webhook_events_webhook_id_fkey REFERENCES webhooks ON DELETE CASCADE,
  event_id   uuid NOT NULL DEFAULT gen_random_uuid(),
  body       text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  due_at     timestamptz NOT NULL DEFAULT now(),
  attempts   integer NOT NULL DEFAULT 0,
  CONSTRAINT webhook_events_pkey PRIMARY KEY (webhook_id, event_id)
);
CREATE INDEX webhook_events_by_due ON webhook_events (webhook_id, due_at);

-- What was told of a link's visits: each number once, also if visits are purged and come again.
CREATE TABLE webhook_visits (
  webhook_id integer NOT NULL CONSTRAINT webhook_visits_webhook_id_fkey REFERENCES webhooks ON DELETE CASCADE,
  link_id    bigint NOT NULL,
  visits     bigint NOT NULL,
  CONSTRAINT webhook_visits_pkey PRIMARY KEY (webhook_id, link_id, visits)
);

-- At most 10,000 events wait for a webhook; more are not kept. Those that other transactions are writing do not count.
CREATE FUNCTION webhook_has_room(webhook integer) RETURNS boolean
LANGUAGE sql STABLE
AS $$ SELECT count(*) < 10000 FROM (SELECT FROM webhook_events WHERE webhook_id = webhook LIMIT 10000) AS waiting $$;

-- What is posted of a link; `reached`: so many visits, or null.
CREATE FUNCTION webhook_body(event text, link bigint, reached bigint) RETURNS text
LANGUAGE sql STABLE
AS $$
  SELECT json_build_object('type', event, 'timestamp', told.at, 'data', CASE
    WHEN reached IS NULL THEN json_build_object('shortUrl', told.link)
    ELSE json_build_object('shortUrl', told.link, 'visits', reached)
  END)::text
  FROM (
    SELECT to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS at, json_build_object(
      'id', links.id::text, 'domain', domains.authority, 'shortCode', links.code, 'longUrl', links.long_url,
      'title', links.title, 'groupId', links.group_id, 'version', links.version::text,
      'tags', ARRAY(
        SELECT tags.name FROM link_tags JOIN tags ON tags.id = link_tags.tag_id WHERE link_tags.link_id = links.id
        ORDER BY link_tags.position
      )
    ) AS link
    FROM links JOIN domains ON domains.id = links.domain_id
    WHERE links.id = webhook_body.link
  ) AS told
$$;

-- In the transaction of a change, after it: the same event, under one id, for every webhook that wants to hear of it.
CREATE FUNCTION queue_webhook_events(event text, link_ids bigint[]) RETURNS void
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
CREATE FUNCTION tell_visits_reached() RETURNS trigger
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
CREATE TRIGGER visits_reached AFTER UPDATE ON link_totals
  REFERENCING OLD TABLE AS before NEW TABLE AS after
  FOR EACH STATEMENT EXECUTE FUNCTION tell_visits_reached();
