-- $1 id behind which hosts are looked at, $2 how many, $3 days. The last of them (null: there were none), and those without visits for so long that have
-- quarters in host_traffic, in order.
WITH looked AS MATERIALIZED (
  SELECT id, kind FROM hosts WHERE id > $1 ORDER BY id LIMIT $2
)
SELECT max(id) AS last, coalesce(array_agg(id ORDER BY id) FILTER (
  WHERE NOT EXISTS (SELECT FROM host_totals WHERE host_id = id AND dc = '' AND last_bucket >= now() - make_interval(days => $3))
    AND EXISTS (SELECT FROM host_traffic AS traffic WHERE traffic.kind = looked.kind AND host_id = id AND dc = '')
), '{}') AS ids
FROM looked
