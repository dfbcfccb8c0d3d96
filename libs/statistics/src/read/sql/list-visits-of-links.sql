-- $1 links and $2/$3 from and to (parallel), $4 classes left out, $5 limit, $6 offset. Newest first.
SELECT
  event_id AS "eventId", occurred_at AS "occurredAt", link_id::text AS "linkId", class, referrer, user_agent AS "userAgent", destination, country, region, city, latitude, longitude,
  os, browser, device, referrer_host AS "referrerHost", language, imported_from AS "importedFrom"
FROM unnest($1::bigint[], $2::timestamptz[], $3::timestamptz[]) AS busy (in_link, from_time, to_time)
CROSS JOIN LATERAL (
  SELECT * FROM visits
  WHERE link_id = busy.in_link AND occurred_at >= busy.from_time AND occurred_at < busy.to_time
  OFFSET 0 -- one index scan per link and bucket, see ledger_dimensions()
) AS visit
WHERE class <> ALL ($4::smallint[])
ORDER BY occurred_at DESC, event_id DESC
LIMIT $5 OFFSET $6
