-- $1 SHA-256 of its token. What it is for, used up with this transaction. No row: there is none, or it has ended.
DELETE FROM invites
WHERE token_hash = $1 AND expires_at > now() AND (NOT only_first OR NOT EXISTS (SELECT FROM users))
RETURNING user_id AS "userId", role, groups
