-- $1 kind, $2 name, $3 scope. Data centres (name null: this one has no peers), and what peers counted of all time, by class (null: nothing).
WITH named AS MATERIALIZED (
  SELECT id FROM hosts WHERE kind = $1 AND name = $2 AND $3 IN ('self', 'subtree')
  UNION ALL
  SELECT id FROM hosts WHERE kind = $1 AND name > $2 || '.' AND name < $2 || '/' AND $3 IN ('below', 'subtree')
    AND EXISTS (SELECT FROM host_peers)
  UNION ALL
  SELECT id FROM hosts WHERE parent_id = (SELECT id FROM hosts WHERE kind = $1 AND name = $2) AND name <> $2 || '.~rest' AND $3 = 'children'
), counted AS (
  SELECT dc, class, sum(p - n)::float8 AS visits
  FROM host_totals
  WHERE kind = $1 AND dc <> '' AND host_id IN (SELECT id FROM named)
  GROUP BY 1, 2
)
SELECT name, true AS "isOwn", now() AS "asOf", NULL::smallint AS class, NULL::float8 AS visits FROM host_datacenter
UNION ALL
(
  SELECT peer.dc, false, as_of, class, visits FROM host_peers AS peer LEFT JOIN counted ON counted.dc = peer.dc
  ORDER BY 1, 4
)
