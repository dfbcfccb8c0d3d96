-- $1 user, $2 how many may stay: the newest of those that can still be used.
DELETE FROM sessions
WHERE user_id = $1
  AND token_hash NOT IN (
    SELECT token_hash FROM sessions
    WHERE user_id = $1 AND expires_at > now() AND seen_at > now() - interval '7 days'
    ORDER BY created_at DESC
    LIMIT $2
  )
