-- $1 link (null: all), $2 from, $3 to, $4 classes left out, $5 event id that was last, $6 limit, $7 links it is
-- among (null: any). Oldest first, which is the order
-- of event ids: they begin with the time.
SELECT
  event_id AS "eventId", occurred_at AS "occurredAt", link_id::text AS "linkId", class, referrer, user_agent AS "userAgent", destination, country, region, city, latitude, longitude,
  os, browser, device, referrer_host AS "referrerHost", language, imported_from AS "importedFrom",
  group_id AS "groupId", os_version AS "osVersion", browser_version AS "browserVersion", network, channel,
  class_reason AS "classReason", route, utm::text AS utm
FROM visits
WHERE ($1::bigint IS NULL OR link_id = $1)
  AND occurred_at >= $2::timestamptz AND occurred_at < $3::timestamptz
  AND ($7::bigint[] IS NULL OR link_id = ANY ($7))
  AND class <> ALL ($4::smallint[]) AND event_id > $5::uuid
ORDER BY occurred_at, event_id
LIMIT $6
