-- $1 instant, $2 how many at most, $3 classes that count as bots. Of two at the same rows, whoever deletes
-- a row counts it. The other waits for the lock under the limit, passes over what is gone and takes the next
-- rows instead: fewer than $2 always means that none is left.
WITH old AS MATERIALIZED (
  SELECT occurred_at, event_id FROM orphan_visits
  WHERE occurred_at < $1::timestamptz
  ORDER BY occurred_at, event_id
  LIMIT $2
  FOR UPDATE
), gone AS (
  DELETE FROM orphan_visits AS orphan
  USING old
  WHERE orphan.occurred_at = old.occurred_at AND orphan.event_id = old.event_id
  RETURNING orphan.class = ANY ($3::smallint[]) AS potential_bot
)
SELECT
  count(*) FILTER (WHERE NOT potential_bot)::float8 AS people,
  count(*) FILTER (WHERE potential_bot)::float8 AS bots
FROM gone
