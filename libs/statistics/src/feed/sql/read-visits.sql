-- $1 times and $2 ids of visits (parallel). Those that are still there.
SELECT
  event_id AS "eventId", occurred_at AS "occurredAt", link_id::text AS "linkId", class, referrer, user_agent AS "userAgent", destination, country, region, city, latitude, longitude,
  os, browser, device, referrer_host AS "referrerHost", language, imported_from AS "importedFrom"
FROM unnest($1::timestamptz[], $2::uuid[]) AS event (at, id)
JOIN visits ON visits.occurred_at = event.at AND visits.event_id = event.id
