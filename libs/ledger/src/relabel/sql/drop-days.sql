-- Days of the reporting zone with one of these buckets, whole: they are due again. From day to day by index: there are many rows
-- of each, and none that all days are sure to have.
WITH RECURSIVE day (day_start, day_end) AS (
  (SELECT day_start, day_end FROM day_aggregates ORDER BY day_start LIMIT 1)
  UNION ALL
  SELECT later.day_start, later.day_end
  FROM day CROSS JOIN LATERAL (
    SELECT day_start, day_end FROM day_aggregates WHERE day_start > day.day_start ORDER BY day_start LIMIT 1
  ) AS later
), moved AS MATERIALIZED (
  SELECT day_start FROM day WHERE EXISTS (SELECT FROM moves WHERE bucket >= day.day_start AND bucket < day.day_end)
), dropped AS (
  DELETE FROM day_aggregates WHERE day_start IN (SELECT day_start FROM moved)
)
DELETE FROM day_aggregate_dimensions WHERE day_start IN (SELECT day_start FROM moved)
