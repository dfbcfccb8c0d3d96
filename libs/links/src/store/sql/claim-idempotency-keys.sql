-- $1 whose they are (an API key or a user), $2 their keys, $3 digests of the requests. A row for each that the caller answers; of
-- the others another one has answered, in the last 24 hours. Waits for a transaction that is about to; in one order, so that
-- two that claim the same keys cannot wait for each other.
INSERT INTO idempotency_keys AS kept (/* whose */, key, request)
SELECT $1::integer, given.key, given.request FROM unnest($2::text[], $3::bytea[]) AS given (key, request)
ORDER BY given.key COLLATE "C"
ON CONFLICT (/* whose */, key) DO UPDATE SET request = excluded.request, answer = NULL, results = 1, created_at = now()
WHERE kept.created_at < now() - interval '24 hours'
RETURNING kept.key
