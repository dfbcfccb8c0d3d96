-- $1 user, $2 SHA-256 of the token of the session that asks. Those that can still be used, the last one that was used first.
SELECT left(encode(token_hash, 'hex'), 16) AS id, token_hash = $2 AS "isThis",
  created_at AS "createdAt", seen_at AS "seenAt", least(expires_at, seen_at + interval '7 days') AS "expiresAt",
  user_agent AS "userAgent"
FROM sessions
WHERE user_id = $1 AND expires_at > now() AND seen_at > now() - interval '7 days'
ORDER BY token_hash = $2 DESC, seen_at DESC
