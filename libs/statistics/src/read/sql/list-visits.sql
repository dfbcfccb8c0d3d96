-- $1 link, $2 from, $3 to (null: open), $4 classes left out, $5 limit, $6 offset. Newest first.
SELECT
  event_id AS "eventId", occurred_at AS "occurredAt", class, referrer, user_agent AS "userAgent", destination, country, region, city, latitude, longitude,
  os, browser, device, referrer_host AS "referrerHost", language
FROM visits
WHERE link_id = $1
  AND occurred_at >= coalesce($2::timestamptz, '-infinity') AND occurred_at < coalesce($3::timestamptz, 'infinity')
  AND class <> ALL ($4::smallint[])
ORDER BY occurred_at DESC, event_id DESC
LIMIT $5 OFFSET $6
