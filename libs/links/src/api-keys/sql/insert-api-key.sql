-- $1 name, $2 SHA-256 of the key, $3 expiry or null.
INSERT INTO api_keys (name, key_hash, expires_at) VALUES ($1, $2, $3) RETURNING id
