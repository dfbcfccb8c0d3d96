-- What each commit counted, for whoever follows visits as they come (server-sent events of the API). Written only while
-- somebody does. Readers go by transactions, not by ids: a commit that began earlier may end later.
CREATE TABLE visit_feed (
  xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
  id bigint GENERATED ALWAYS AS IDENTITY,
  at timestamptz NOT NULL DEFAULT now(),
  event_ids uuid[] NOT NULL,
  -- Of each event; NULL: orphan visits.
  link_ids bigint[],
  PRIMARY KEY (xid, id)
);

CREATE TABLE visit_feed_state (
  singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
  wanted_until timestamptz NOT NULL DEFAULT '-infinity',
  -- Of transactions up to this one something may not be in the feed (any more).
  gone_through xid8 NOT NULL DEFAULT pg_current_xact_id()
);
INSERT INTO visit_feed_state DEFAULT VALUES;
