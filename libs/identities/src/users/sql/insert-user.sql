-- $1 email, $2 name, $3 hash of the password, $4 role of everything (null: none), $5 how many users there may be. No row: the
-- email is taken, or there are too many.
INSERT INTO users (email, name, password_hash, role, last_sign_in_at)
SELECT $1, $2, $3, $4, now()
WHERE (SELECT count(*) FROM users) < $5
ON CONFLICT (email) DO NOTHING
RETURNING id
