-- $1 from, $2 to (null: open), $3 classes left out, $4 type (null: all but those of links that are there, 3 and above), $5 domain (null: all), $6 limit, $7 offset. Newest first.
SELECT
  event_id AS "eventId", occurred_at AS "occurredAt", type, class, domain, path, referrer, user_agent AS "userAgent", country, region, city, latitude, longitude
FROM orphan_visits
WHERE occurred_at >= coalesce($1::timestamptz, '-infinity') AND occurred_at < coalesce($2::timestamptz, 'infinity')
  AND class <> ALL ($3::smallint[]) AND (type = $4::smallint OR $4 IS NULL AND type < 3) AND ($5::text IS NULL OR domain = $5)
ORDER BY occurred_at DESC, event_id DESC
LIMIT $6 OFFSET $7
