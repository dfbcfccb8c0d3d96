-- The visits of a batch, one row each, for the statements after it; empty again at the end of the transaction. The role of a
-- consumer may make temporary tables: everybody may, unless it was revoked. The name ends in a number that rises with every
-- change of the columns: behind pgbouncer a session made by an earlier version has its table still.
-- Numbers wider than a JavaScript number, addresses and JSON are text here: PostgreSQL reads them, and says which it cannot hold.
CREATE TEMPORARY TABLE IF NOT EXISTS staged_visits_1 (
  occurred_at timestamptz, event_id uuid, link_id text, visitor text, ip text, class smallint, enrichment_version smallint,
  latitude real, longitude real, client_ip text, country text, region text, city text, os text, os_version text,
  browser text, browser_version text, device text, network text, referrer_host text, language text, referrer text,
  user_agent text, destination text, utm text, truncated text, source text, route text, channel text, class_reason smallint,
  target_host text, short_host text
) ON COMMIT DELETE ROWS;
DELETE FROM staged_visits_1;
COPY staged_visits_1 FROM STDIN (FORMAT binary)
