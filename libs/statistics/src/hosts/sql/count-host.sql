-- $1 kind, $2 name, $3 scope, $4 from and $5 before which instant (whole buckets). Visits by bucket (null: of all time) and class, with
-- what is not folded yet.
WITH named AS MATERIALIZED (
  SELECT id FROM hosts WHERE kind = $1 AND name = $2 AND $3 IN ('self', 'subtree')
  UNION ALL
  SELECT id FROM hosts WHERE kind = $1 AND name > $2 || '.' AND name < $2 || '/' AND $3 IN ('below', 'subtree')
  UNION ALL
  SELECT id FROM hosts WHERE parent_id = (SELECT id FROM hosts WHERE kind = $1 AND name = $2) AND $3 = 'children'
), waiting AS MATERIALIZED (
  SELECT to_timestamp(change.cell / 90 * 900.0) AS bucket, change.class, change.p - change.n AS visits
  FROM host_changes, unnest(kinds, hosts, cells, classes, p, n) AS change (kind, host, cell, class, p, n)
  WHERE folded_at IS NULL AND change.kind = $1 AND CASE $3
    WHEN 'self' THEN change.host = $2
    WHEN 'children' THEN host_parent(change.host) = $2
    ELSE change.host > $2 || '.' AND change.host < $2 || '/' OR change.host = $2 AND $3 = 'subtree'
  END
), part AS (
  SELECT bucket, class, p - n AS visits FROM host_traffic
  WHERE kind = $1 AND host_id IN (SELECT id FROM named) AND bucket >= $4::timestamptz AND bucket < $5::timestamptz
  UNION ALL
  SELECT bucket, class, visits FROM waiting WHERE bucket >= $4::timestamptz AND bucket < $5::timestamptz
  UNION ALL
  SELECT NULL, class, p - n FROM host_totals WHERE kind = $1 AND host_id IN (SELECT id FROM named)
  UNION ALL
  SELECT NULL, class, visits FROM waiting
)
SELECT bucket, class, sum(visits)::float8 AS visits FROM part GROUP BY 1, 2
