-- Visits of the batch that a purge keeps out: of their link, or (imports) of the one they were visits of.
SELECT visit.event_id::text AS "eventId"
FROM staged_visits_1 AS visit
LEFT JOIN links AS link ON link.id = visit.link_id::bigint
WHERE (visit.occurred_at < link.purged_before OR EXISTS (
  SELECT FROM purged_visits AS purged
  WHERE purged.occurred_at = visit.occurred_at AND purged.event_id = visit.event_id
)) AND NOT EXISTS (
  SELECT FROM visits AS counted
  WHERE counted.occurred_at = visit.occurred_at AND counted.event_id = visit.event_id
)
