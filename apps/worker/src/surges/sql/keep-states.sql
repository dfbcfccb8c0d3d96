-- $1 rows of kind, host and state; null: it has none any more.
WITH given AS MATERIALIZED (
  SELECT kind, host COLLATE "C" AS host, state FROM jsonb_to_recordset($1::jsonb) AS given (kind smallint, host text, state jsonb)
), gone AS (
  DELETE FROM host_surges USING given
  WHERE host_surges.kind = given.kind AND host_surges.host = given.host AND given.state IS NULL
)
INSERT INTO host_surges (kind, host, state)
SELECT kind, host, state FROM given WHERE state IS NOT NULL ORDER BY 1, 2
ON CONFLICT (kind, host) DO UPDATE SET state = excluded.state
