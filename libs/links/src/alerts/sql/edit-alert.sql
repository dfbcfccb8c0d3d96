-- $1 alert, $2 the columns to change, by name. Another rule begins anew: what it meets is another event.
UPDATE alerts
SET (name, window_minutes, threshold, factor, time_zone) = (
    changed.name, changed.window_minutes, changed.threshold, changed.factor, changed.time_zone
  ),
  held_until = CASE
    WHEN (changed.window_minutes, changed.threshold, changed.factor, changed.time_zone)
      IS NOT DISTINCT FROM (alerts.window_minutes, alerts.threshold, alerts.factor, alerts.time_zone) THEN alerts.held_until
  END
FROM alerts AS old, jsonb_populate_record(old, $2::jsonb) AS changed
WHERE alerts.id = $1 AND old.id = alerts.id
