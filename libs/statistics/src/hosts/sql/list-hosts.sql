-- $1 kind, $2 name (null: the top), $3 sum and $4 name of the last one seen (null: none), $5 how many, $6 whether visits of the last five
-- minutes (30 cells, up to now) are the sum. What is one label below, each with all below it, the largest sum first. Of what is folded.
WITH recent AS MATERIALIZED (
  SELECT change.host COLLATE "C" AS host, sum(change.p - change.n) AS visits
  FROM host_changes, unnest(kinds, hosts, cells, p, n) AS change (kind, host, cell, p, n)
  -- It was folded after it was counted, and that after it happened.
  WHERE $6::boolean AND folded_at >= now() - interval '5 minutes' AND change.kind = $1
    AND change.cell BETWEEN floor(extract(epoch FROM now()) / 10)::integer - 29 AND floor(extract(epoch FROM now()) / 10)::integer
  GROUP BY 1
), part AS (
  SELECT name, class, p - n AS visits, 0 AS latest
  FROM host_totals JOIN hosts ON hosts.id = host_id AND hosts.kind = $1
  WHERE host_totals.kind = $1
  UNION ALL
  SELECT coalesce(hosts.name, host_place($1, host)), NULL, 0, visits
  FROM recent LEFT JOIN hosts ON hosts.kind = $1 AND hosts.name = host
), below AS (
  SELECT
    CASE WHEN $2::text IS NULL THEN split_part(name, '.', 1) ELSE $2 || '.' || split_part(substr(name, length($2) + 2), '.', 1) END
      COLLATE "C" AS child,
    *
  FROM part
  WHERE $2::text IS NULL OR name > $2 || '.' AND name < $2 || '/'
), sums AS (
  SELECT child, sum(visits)::float8 AS visits, coalesce(sum(visits) FILTER (WHERE name = child), 0)::float8 AS own,
    ARRAY[
      coalesce(sum(visits) FILTER (WHERE class = 0), 0)::float8, coalesce(sum(visits) FILTER (WHERE class = 1), 0)::float8,
      coalesce(sum(visits) FILTER (WHERE class = 2), 0)::float8, coalesce(sum(visits) FILTER (WHERE class = 3), 0)::float8,
      coalesce(sum(visits) FILTER (WHERE class = 4), 0)::float8
    ] AS "byClass",
    CASE WHEN $6 THEN sum(latest)::float8 END AS "window",
    CASE WHEN $6 THEN sum(latest) ELSE sum(visits) END::float8 AS ranked
  FROM below
  GROUP BY child
), page AS MATERIALIZED (
  SELECT * FROM sums
  WHERE ranked <> 0 AND ($3::float8 IS NULL OR (-ranked, child) > (-$3::float8, $4 COLLATE "C"))
  ORDER BY ranked DESC, child
  LIMIT $5
)
SELECT child AS name, visits, own, "byClass", "window", coalesce(host.children, 0) - (rest.id IS NOT NULL)::integer AS children
FROM page
LEFT JOIN hosts AS host ON host.kind = $1 AND host.name = child
LEFT JOIN hosts AS rest ON rest.kind = $1 AND rest.name = child || '.~rest'
ORDER BY ranked DESC, child
