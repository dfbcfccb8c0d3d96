-- $1 SHA-256 of its token, $2 user, $3 seconds it lasts, $4 user agent (null: none).
INSERT INTO sessions (token_hash, user_id, expires_at, user_agent) VALUES ($1, $2, now() + make_interval(secs => $3::integer), $4)
