SELECT id, name FROM api_keys WHERE key_hash = $1 AND enabled AND (expires_at IS NULL OR expires_at > now())
