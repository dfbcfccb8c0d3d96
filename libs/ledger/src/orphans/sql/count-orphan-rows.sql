-- $1 classes that count as bots.
SELECT
  count(*) FILTER (WHERE class <> ALL ($1::smallint[]))::float8 AS people,
  count(*) FILTER (WHERE class = ANY ($1::smallint[]))::float8 AS bots
FROM orphan_visits
