-- $1 kind, $2 name, $3 scope, $4 from and $5 before which instant (whole buckets), $6 ascending starts of the series' points. Visits by
-- point (0-based; null: of all time) and class. What is not folded yet counts where the fold will put it.
WITH named AS MATERIALIZED (
  SELECT id FROM hosts WHERE kind = $1 AND name = $2 AND $3 IN ('self', 'subtree')
  UNION ALL
  SELECT id FROM hosts WHERE kind = $1 AND name > $2 || '.' AND name < $2 || '/' AND $3 IN ('below', 'subtree')
  UNION ALL
  SELECT id FROM hosts WHERE parent_id = (SELECT id FROM hosts WHERE kind = $1 AND name = $2) AND name <> $2 || '.~rest' AND $3 = 'children'
), unfolded AS MATERIALIZED (
  SELECT change.host COLLATE "C" AS host, to_timestamp(change.cell / 90 * 900.0) AS bucket, change.class, sum(change.p - change.n) AS visits
  FROM host_changes, unnest(kinds, hosts, cells, classes, p, n) AS change (kind, host, cell, class, p, n)
  WHERE folded_at IS NULL AND change.kind = $1
    -- What counts at a '~rest' has another name.
    AND ($2 ~ '(^|[.])~rest$' OR change.host = $2
      OR change.host COLLATE "C" > $2 || '.' AND change.host COLLATE "C" < $2 || '/')
  GROUP BY 1, 2, 3
), placed AS MATERIALIZED (
  SELECT host, host_place($1, host) COLLATE "C" AS place FROM (SELECT DISTINCT host FROM unfolded) AS name
), waiting AS MATERIALIZED (
  SELECT bucket, class, visits
  FROM unfolded JOIN placed USING (host)
  WHERE CASE $3
    WHEN 'self' THEN place = $2
    WHEN 'children' THEN host_parent(place) = $2 AND place <> $2 || '.~rest'
    ELSE place > $2 || '.' AND place < $2 || '/' OR place = $2 AND $3 = 'subtree'
  END
), part AS (
  SELECT width_bucket(bucket, $6::timestamptz[]) - 1 AS point, class, sum(p - n) AS visits
  FROM host_traffic
  WHERE kind = $1 AND host_id IN (SELECT id FROM named) AND bucket >= $4::timestamptz AND bucket < $5::timestamptz
  GROUP BY 1, 2
  UNION ALL
  SELECT width_bucket(bucket, $6::timestamptz[]) - 1, class, sum(p - n)
  FROM quiet_host_buckets
  WHERE kind = $1 AND host_id IN (SELECT id FROM named) AND bucket >= $4::timestamptz AND bucket < $5::timestamptz
    AND last_bucket >= $4::timestamptz AND first_bucket < $5::timestamptz
  GROUP BY 1, 2
  UNION ALL
  SELECT width_bucket(bucket, $6::timestamptz[]) - 1, class, visits
  FROM waiting
  WHERE bucket >= $4::timestamptz AND bucket < $5::timestamptz
  UNION ALL
  SELECT NULL, class, p - n FROM host_totals WHERE kind = $1 AND host_id IN (SELECT id FROM named WHERE $3 IN ('self', 'children'))
  UNION ALL
  SELECT NULL, (of_class.nr - 1)::smallint, of_class.visits - coalesce((
    SELECT sum(p - n) FROM host_totals AS own WHERE own.host_id = sums.host_id AND own.class = of_class.nr - 1 AND $3 = 'below'
  ), 0)
  FROM host_sums AS sums, unnest(by_class) WITH ORDINALITY AS of_class (visits, nr)
  WHERE host_id = (SELECT id FROM hosts WHERE kind = $1 AND name = $2) AND $3 IN ('below', 'subtree')
  UNION ALL
  SELECT NULL, class, visits FROM waiting
)
SELECT point, class, sum(visits)::float8 AS visits FROM part GROUP BY 1, 2
