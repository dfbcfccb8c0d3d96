-- $1 id (null: any), $2 name (null: any), $3 how many, $4 after how many. By name, each with the number of all.
SELECT keys.id, keys.name, keys.prefix, keys.scopes, keys.authored_only AS "authoredOnly",
  keys.no_orphans AS "noOrphanVisits", domains.authority AS domain, keys.created_at AS "createdAt",
  keys.expires_at AS "expiresAt", keys.last_used_at AS "lastUsedAt",
  CASE WHEN keys.previous_until > now() THEN keys.previous_until END AS "previousUntil",
  CASE
    WHEN keys.revoked_at IS NOT NULL THEN 'revoked'
    WHEN NOT keys.enabled THEN 'disabled'
    WHEN keys.expires_at <= now() THEN 'expired'
    ELSE 'active'
  END AS state
FROM api_keys AS keys
LEFT JOIN domains ON domains.id = keys.domain_id
WHERE ($1::integer IS NULL OR keys.id = $1) AND ($2::text IS NULL OR keys.name = $2)
ORDER BY keys.name, keys.id
LIMIT $3 OFFSET $4
