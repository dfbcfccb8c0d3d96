-- $1 link ids, $2 classes that count as bots
SELECT
  link_id,
  coalesce(sum(visits) FILTER (WHERE class <> ALL ($2::smallint[])), 0)::float8 AS non_bots,
  coalesce(sum(visits) FILTER (WHERE class = ANY ($2::smallint[])), 0)::float8 AS bots
FROM link_traffic
WHERE link_id = ANY ($1::bigint[])
GROUP BY link_id
