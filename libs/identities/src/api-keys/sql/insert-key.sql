-- $1 name, $2 SHA-256 of the key, $3 how it begins, $4 scopes, $5 end (null: none), $6 only its own links, $7 the only
-- domain (null: any), $8 without orphan visits, $9 how many keys there may be. No row: the name is taken, or there are too many.
INSERT INTO api_keys (name, key_hash, prefix, scopes, expires_at, authored_only, domain_id, no_orphans)
SELECT $1, $2, $3, $4, $5, $6, $7::integer, $8
WHERE (SELECT count(*) FROM api_keys) < $9
ON CONFLICT (name) DO NOTHING
RETURNING id
