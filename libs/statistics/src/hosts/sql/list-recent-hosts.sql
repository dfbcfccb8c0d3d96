-- As list-hosts.sql, of the last five minutes (30 cells, up to now): what had visits in them, by these.
WITH recent AS MATERIALIZED (
  SELECT change.host COLLATE "C" AS host, sum(change.p - change.n) AS visits
  FROM host_changes, unnest(kinds, hosts, cells, p, n) AS change (kind, host, cell, p, n)
  -- It was folded after it was counted, and that after it happened.
  WHERE folded_at >= now() - interval '5 minutes' AND change.kind = $1
    AND change.cell BETWEEN floor(extract(epoch FROM now()) / 10)::integer - 29 AND floor(extract(epoch FROM now()) / 10)::integer
  GROUP BY 1
), placed AS (
  SELECT coalesce(hosts.name, host_place($1, host)) AS name, visits
  FROM recent LEFT JOIN hosts ON hosts.kind = $1 AND hosts.name = host
), below AS (
  SELECT
    CASE WHEN $2::text IS NULL THEN split_part(name, '.', 1) ELSE $2 || '.' || split_part(substr(name, length($2) + 2), '.', 1) END
      COLLATE "C" AS child,
    visits
  FROM placed
  WHERE $2::text IS NULL OR name > $2 || '.' AND name < $2 || '/'
), page AS MATERIALIZED (
  SELECT child, sum(visits)::bigint AS visits
  FROM below
  GROUP BY child
  HAVING sum(visits) <> 0 AND ($3::bigint IS NULL OR (-sum(visits), child) > (-$3::bigint, $4 COLLATE "C"))
  ORDER BY 2 DESC, child
  LIMIT $5
)
SELECT child AS name, sums.visits::float8 AS visits, sums.by_class::float8[] AS "byClass", page.visits::float8 AS "window",
  (SELECT sum(one) FROM unnest(own.by_class) AS one) AS own, own.by_class AS "ownByClass",
  host.children - (rest.id IS NOT NULL)::integer AS children
FROM page
JOIN hosts AS host ON host.kind = $1 AND host.name = child
JOIN host_sums AS sums ON sums.host_id = host.id
CROSS JOIN LATERAL (
  SELECT ARRAY(
    SELECT coalesce(sum(p - n), 0)::float8
    FROM generate_series(0, 4) AS class_number
    LEFT JOIN host_totals AS totals ON totals.kind = $1 AND totals.host_id = host.id AND totals.class = class_number
    GROUP BY class_number ORDER BY class_number
  ) AS by_class
) AS own
LEFT JOIN hosts AS rest ON rest.kind = $1 AND rest.name = child || '.~rest'
ORDER BY page.visits DESC, child
