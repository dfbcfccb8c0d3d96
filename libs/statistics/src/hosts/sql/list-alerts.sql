-- $1 whether the last one seen was open, $2 its id (null: none was seen), $3 how many. Open ones first, then the newest.
WITH page AS (
  (
    SELECT alert.*, true AS is_open
    FROM host_surges JOIN host_alerts AS alert ON alert.id = host_surges.alert_id
    WHERE $2::bigint IS NULL OR $1 AND alert.id < $2::bigint
    ORDER BY alert.id DESC
    LIMIT $3
  )
  UNION ALL
  (
    SELECT alert.*, false
    FROM host_alerts AS alert
    WHERE alert_id IS NULL AND ($2::bigint IS NULL OR $1 OR id < $2::bigint)
      AND NOT EXISTS (SELECT FROM host_surges WHERE host_surges.alert_id = alert.id)
    ORDER BY id DESC
    LIMIT $3
  )
)
SELECT page.id::text AS id, page.kind, page.host AS name, page.is_open AS "isOpen", page.at AS "openedAt", escalated.at AS "escalatedAt",
  closed.at AS "closedAt", closed.reason AS "closedBecause", coalesce(escalated.visits, page.visits)::float8 AS visits,
  coalesce(escalated.base, page.base) AS "usualVisits", page.is_new AS "isNew", coalesce(escalated.explanation, page.explanation) AS explanation
FROM page
LEFT JOIN LATERAL (
  SELECT at, visits, base, explanation FROM host_alerts
  WHERE alert_id = page.id AND what = 'escalated' ORDER BY id DESC LIMIT 1
) AS escalated ON true
LEFT JOIN LATERAL (
  SELECT at, reason FROM host_alerts WHERE alert_id = page.id AND what = 'closed' LIMIT 1
) AS closed ON true
ORDER BY page.is_open DESC, page.id DESC
LIMIT $3
