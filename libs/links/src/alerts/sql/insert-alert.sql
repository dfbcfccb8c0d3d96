-- $1 columns by name, $2 URL, $3 secret. Its first window is the one that is open now.
WITH alert AS (
  INSERT INTO alerts (user_id, api_key_id, name, subject, link_id, tag_id, domain_id, group_id, host_kind, host, kind, window_minutes,
    threshold, factor, time_zone, channel, looked_until)
  SELECT user_id, api_key_id, name, subject, link_id, tag_id, domain_id, group_id, host_kind, host, kind, window_minutes,
    threshold, factor, time_zone, channel, date_bin('15 minutes', now(), '2000-01-01 00:00:00+00')
  FROM jsonb_populate_record(NULL::alerts, $1::jsonb)
  RETURNING id
), hook AS (
  INSERT INTO webhooks (url, description, events, visits, secret, alert_id)
  SELECT $2, '', '{}', '{}', $3, id FROM alert
)
SELECT id FROM alert
