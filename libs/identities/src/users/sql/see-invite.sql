-- $1 SHA-256 of its token. Whose password it is about (null: a new account). No row: there is none, or it has ended.
SELECT user_id AS "userId" FROM invites
WHERE token_hash = $1 AND expires_at > now() AND (NOT only_first OR NOT EXISTS (SELECT FROM users))
