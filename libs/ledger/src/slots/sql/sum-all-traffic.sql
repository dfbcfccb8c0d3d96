-- $1 classes that count as bots.
SELECT
  coalesce(sum(visits) FILTER (WHERE class <> ALL ($1::smallint[])), 0)::float8 AS people,
  coalesce(sum(visits) FILTER (WHERE class = ANY ($1::smallint[])), 0)::float8 AS bots
FROM link_traffic
