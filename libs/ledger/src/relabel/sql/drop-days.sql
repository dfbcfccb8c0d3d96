-- Days of the reporting zone with one of these buckets, whole: they are due again.
WITH days AS (
  DELETE FROM day_aggregates AS day
  WHERE EXISTS (SELECT FROM moves WHERE bucket >= day.day_start AND bucket < day.day_end)
  RETURNING day_start
)
DELETE FROM day_aggregate_dimensions WHERE day_start IN (SELECT day_start FROM days)
