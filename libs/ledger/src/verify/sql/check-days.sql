-- $1 names of the classes by their number, $2 how many differences at most. Days whose aggregates hold (number and
-- checksum for all links are those of the buckets): each row against the buckets of its scope and class, and the values
-- of each dimension against the row they are of.
WITH day AS MATERIALIZED (
  SELECT DISTINCT kept.day_start, kept.day_end
  FROM day_aggregates AS kept
  CROSS JOIN LATERAL (
    SELECT coalesce(sum(visits), 0) AS visits, coalesce(bit_xor(checksum), 0) AS checksum
    FROM scope_traffic
    WHERE scope = 'all' AND scope_id = '' AND bucket >= kept.day_start AND bucket < kept.day_end
  ) AS counted
  WHERE kept.scope = 'all' AND kept.class = 'all' AND (kept.visits, kept.checksum) = (counted.visits, counted.checksum)
), kept AS MATERIALIZED (
  SELECT scope, scope_id, day_start, day_end, class, visits, checksum FROM day_aggregates JOIN day USING (day_start, day_end)
), unit AS MATERIALIZED (
  SELECT DISTINCT scope, scope_id, day_start, day_end FROM kept
), bucket AS (
  SELECT unit.scope, unit.scope_id, unit.day_start, traffic.class, traffic.visits, traffic.checksum
  FROM unit
  JOIN scope_traffic AS traffic ON traffic.scope = unit.scope AND traffic.scope_id = unit.scope_id
    AND traffic.bucket >= unit.day_start AND traffic.bucket < unit.day_end
  UNION ALL
  SELECT unit.scope, unit.scope_id, unit.day_start, traffic.class, traffic.visits, traffic.checksum
  FROM unit
  JOIN link_traffic AS traffic ON traffic.link_id = CASE WHEN unit.scope = 'link' THEN unit.scope_id::bigint END
    AND traffic.bucket >= unit.day_start AND traffic.bucket < unit.day_end
), counted AS (
  SELECT scope, scope_id, day_start, coalesce(($1::text[])[class + 1], 'all') AS class,
    sum(visits) AS visits, bit_xor(checksum) AS checksum
  FROM bucket
  GROUP BY GROUPING SETS ((scope, scope_id, day_start, class), (scope, scope_id, day_start))
  HAVING sum(visits) <> 0
), valued AS (
  SELECT scope, scope_id, day_start, dimension, sum(human + bot + preview + prefetch + opted_out) AS visits,
    ARRAY[sum(human), sum(bot), sum(preview), sum(prefetch), sum(opted_out)] AS by_class
  FROM day_aggregate_dimensions WHERE day_start IN (SELECT day_start FROM day)
  GROUP BY 1, 2, 3, 4
)
(
  SELECT coalesce(kept.scope, counted.scope) AS scope, coalesce(kept.scope_id, counted.scope_id) AS scope_id,
    coalesce(kept.day_start, counted.day_start) AS day_start, coalesce(kept.class, counted.class) AS part,
    jsonb_build_object('visits', counted.visits, 'checksum', counted.checksum::text) AS expected,
    jsonb_build_object('visits', kept.visits, 'checksum', kept.checksum::text) AS actual
  FROM kept
  FULL JOIN counted ON counted.scope = kept.scope AND counted.scope_id = kept.scope_id
    AND counted.day_start = kept.day_start AND counted.class = kept.class
  WHERE (kept.visits, kept.checksum) IS DISTINCT FROM (counted.visits, counted.checksum)
)
UNION ALL
(
  SELECT kept.scope, kept.scope_id, kept.day_start, valued.dimension,
    jsonb_build_object(kept.class, kept.visits),
    jsonb_build_object(kept.class, coalesce(valued.by_class[array_position($1::text[], kept.class)], valued.visits))
  FROM kept JOIN valued USING (scope, scope_id, day_start)
  WHERE kept.visits <> coalesce(valued.by_class[array_position($1::text[], kept.class)], valued.visits)
)
LIMIT $2
