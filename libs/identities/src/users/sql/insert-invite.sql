-- $1 SHA-256 of its token, $2 user who gets another password (null: it makes an account), $3 role of everything, $4 role of each
-- group, $5 whether it is worth nothing once there is an account, $6 seconds it lasts, $7 how many of accounts there may be,
-- $8 user or $9 key who makes it. No row: too many.
INSERT INTO invites (token_hash, user_id, role, groups, only_first, expires_at, created_by_user, created_by_key)
SELECT $1, $2::integer, $3, $4, $5, now() + make_interval(secs => $6::integer), $8::integer, $9::integer
WHERE $2::integer IS NOT NULL OR (SELECT count(*) FROM invites WHERE user_id IS NULL) < $7
RETURNING expires_at AS "expiresAt"
