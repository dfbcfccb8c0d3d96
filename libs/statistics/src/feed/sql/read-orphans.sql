-- $1 times and $2 ids of orphan visits (parallel). Those that are still there, but for those of links that are there (type 3 and above).
SELECT
  event_id AS "eventId", occurred_at AS "occurredAt", type, class, domain, path, referrer, user_agent AS "userAgent", country, region, city, latitude, longitude
FROM unnest($1::timestamptz[], $2::uuid[]) AS event (at, id)
JOIN orphan_visits AS orphan ON orphan.occurred_at = event.at AND orphan.event_id = event.id
WHERE orphan.type < 3
