-- $1 user and $2 API key whose alerts are listed, $3 whether all are, $4 one of them (null: each).
SELECT alerts.id, alerts.name, subject, authority AS domain, tags.name AS tag, alerts.group_id AS "group", links.code AS "shortCode",
  host, host_kind AS "hostKind", kind, window_minutes AS "windowMinutes", threshold::float8, factor, time_zone AS "timeZone", channel,
  hook.id AS "webhookId", CASE WHEN channel <> 'email' THEN url END AS url, CASE WHEN channel = 'email' THEN substr(url, 8) END AS email,
  hook.enabled, disabled_reason AS "disabledReason", user_id AS "userId", api_key_id AS "keyId",
  coalesce(users.email, api_keys.name) AS "createdBy", CASE WHEN users.role IS DISTINCT FROM 'owner' THEN users.email END AS "allowedEmail",
  alert_is_seen(alerts) AND alert_is_counted(alerts) AND alert_may_reach(alerts, url) AS watched, held_until IS NOT NULL AS ongoing, told_at AS "toldAt",
  looked_until AS "checkedUntil", delivered_at AS "deliveredAt", failed_at AS "failedAt", failure, alerts.created_at AS "createdAt"
FROM alerts
JOIN webhooks AS hook ON hook.alert_id = alerts.id
LEFT JOIN users ON users.id = alerts.user_id
LEFT JOIN api_keys ON api_keys.id = alerts.api_key_id
LEFT JOIN links ON links.id = alerts.link_id
LEFT JOIN domains ON domains.id = coalesce(alerts.domain_id, links.domain_id)
LEFT JOIN tags ON tags.id = alerts.tag_id
WHERE ($3::boolean OR user_id = $1 OR api_key_id = $2) AND ($4::integer IS NULL OR alerts.id = $4::integer)
ORDER BY alerts.id
