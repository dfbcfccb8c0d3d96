-- $1 key, $2 SHA-256 of its new secret, $3 how that begins, $4 seconds for which the old one works, too (0: it ends now; so does
-- one that was older).
UPDATE api_keys
SET previous_hash = CASE WHEN $4::integer > 0 THEN key_hash END,
  previous_until = CASE WHEN $4::integer > 0 THEN now() + make_interval(secs => $4::integer) END,
  key_hash = $2, prefix = $3
WHERE id = $1 AND revoked_at IS NULL
RETURNING id
