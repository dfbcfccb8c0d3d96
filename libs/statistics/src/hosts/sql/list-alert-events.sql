-- $1 id behind which (null: none of them), $2 how many at most. The newest id, and the newest of what was told behind $1, ascending.
SELECT
  coalesce((SELECT max(id) FROM host_alerts), 0)::text AS head,
  coalesce((
    SELECT json_agg(event ORDER BY event.id)
    FROM (
      SELECT id, coalesce(alert_id, id)::text AS "alertId", kind, host AS name, what, at, visits, base AS "usualVisits",
        is_new AS "isNew", reason AS "closedBecause", explanation
      FROM host_alerts WHERE id > $1::bigint ORDER BY id DESC LIMIT $2
    ) AS event
  ), '[]') AS events
