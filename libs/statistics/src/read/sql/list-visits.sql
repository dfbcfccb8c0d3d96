-- $1 link (null: all), $2 from, $3 to, $4 classes left out, $5 limit, $6 offset. Newest first.
SELECT
  event_id AS "eventId", occurred_at AS "occurredAt", link_id::text AS "linkId", class, referrer, user_agent AS "userAgent", destination, country, region, city, latitude, longitude,
  os, browser, device, referrer_host AS "referrerHost", language, imported_from AS "importedFrom"
FROM visits
WHERE ($1::bigint IS NULL OR link_id = $1)
  AND occurred_at >= $2::timestamptz AND occurred_at < $3::timestamptz
  AND class <> ALL ($4::smallint[])
ORDER BY occurred_at DESC, event_id DESC
LIMIT $5 OFFSET $6
