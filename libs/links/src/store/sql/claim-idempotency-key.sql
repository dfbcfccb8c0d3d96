-- $1 whose it is (an API key or a user), $2 their key, $3 digest of the request. A row: the caller answers it; none: another one has, in the last 24
-- hours. Waits for a transaction that is about to.
INSERT INTO idempotency_keys AS kept (/* whose */, key, request)
VALUES ($1, $2, $3)
ON CONFLICT (/* whose */, key) DO UPDATE SET request = excluded.request, answer = NULL, results = 1, created_at = now()
WHERE kept.created_at < now() - interval '24 hours'
RETURNING key
