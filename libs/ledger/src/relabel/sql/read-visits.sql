-- $1 and $2 key of the last visit read, $3 end, $4 how many. The next visits of the ledger, with what rules read of them.
SELECT visit.occurred_at::text AS "occurredAt", visit.event_id::text AS "eventId", visit.class, visit.class_reason AS "classReason",
  visit.channel, visit.user_agent AS "userAgent", visit.imported_from IS NOT NULL AS "isImported",
  visit.visitor IS NULL AND visit.ip IS NULL AS "isAnonymous", visit.referrer, visit.referrer_host AS "referrerHost",
  visit.utm ->> 'source' AS "utmSource", visit.utm ->> 'medium' AS "utmMedium", visit.destination,
  coalesce(domains.authority, '') AS domain
FROM (
  SELECT * FROM visits
  WHERE occurred_at >= $1::timestamptz AND (occurred_at, event_id) > ($1::timestamptz, $2::uuid) AND occurred_at < $3::timestamptz
  ORDER BY occurred_at, event_id
  LIMIT $4
) AS visit
LEFT JOIN links ON links.id = visit.link_id
LEFT JOIN domains ON domains.id = links.domain_id
ORDER BY visit.occurred_at, visit.event_id
