-- $1 instant of the retention, $2 rows that may stay. The instant before which rows go: the latest of the
-- retention, the last purge and the age of the newest row beyond the number.
SELECT greatest(
  $1::timestamptz,
  (SELECT purged_before FROM orphan_horizon),
  (SELECT occurred_at FROM orphan_visits ORDER BY occurred_at DESC, event_id DESC OFFSET $2 - 1 LIMIT 1)
)::text AS before
