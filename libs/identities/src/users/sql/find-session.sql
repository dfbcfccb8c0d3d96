-- $1 SHA-256 of what a cookie holds. Whose session it is, when it may be used now, with the roles of the user.
SELECT users.id, users.name, users.role,
  coalesce((SELECT jsonb_object_agg(group_id, role) FROM group_roles WHERE user_id = users.id), '{}') AS groups,
  extract(epoch FROM least(sessions.expires_at, sessions.seen_at + interval '7 days') - now())::float8 * 1000 AS "endsInMs"
FROM sessions
JOIN users ON users.id = sessions.user_id
WHERE sessions.token_hash = $1 AND users.enabled
  AND sessions.expires_at > now() AND sessions.seen_at > now() - interval '7 days'
