-- $1 minutes. From the next commit on the feed is written for so long; where nobody had asked for it, what came before is missing.
UPDATE visit_feed_state
SET gone_through = CASE WHEN wanted_until > now() THEN gone_through ELSE pg_current_xact_id() END,
  wanted_until = now() + make_interval(mins => $1)
