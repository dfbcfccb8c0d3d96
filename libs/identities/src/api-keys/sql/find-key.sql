-- $1 SHA-256 of a key. Whose it is, when it may be used now; endsInMs: for how long at most.
SELECT keys.id, keys.name, keys.scopes, keys.authored_only AS "authoredOnly", keys.no_orphans AS "noOrphanVisits",
  keys.domain_id AS "domainId", domains.authority,
  extract(epoch FROM least(
    keys.expires_at, CASE WHEN keys.key_hash <> $1::bytea THEN keys.previous_until END
  ) - now())::float8 * 1000 AS "endsInMs"
FROM api_keys AS keys
LEFT JOIN domains ON domains.id = keys.domain_id
WHERE (keys.key_hash = $1::bytea OR (keys.previous_hash = $1::bytea AND keys.previous_until > now()))
  AND keys.enabled AND keys.revoked_at IS NULL AND (keys.expires_at IS NULL OR keys.expires_at > now())
