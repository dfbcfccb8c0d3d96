-- $1 SHA-256 of its token, $2 user who gets another password (null: it makes an account), $3 role of everything, $4 role of each
-- group, $5 whether it is worth nothing once there is an account, $6 seconds it lasts, $7 how many there may be. No row: too many.
INSERT INTO invites (token_hash, user_id, role, groups, only_first, expires_at)
SELECT $1, $2, $3, $4, $5, now() + make_interval(secs => $6::integer)
WHERE (SELECT count(*) FROM invites) < $7
RETURNING expires_at AS "expiresAt"
