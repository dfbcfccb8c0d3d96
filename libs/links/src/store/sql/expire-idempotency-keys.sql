-- $1 how many results are kept at most, $2 how many rows to delete. The oldest that are over age, or over the number.
WITH counted AS (
  SELECT api_key_id, key, created_at, sum(results) OVER (ORDER BY created_at DESC, api_key_id, key) AS newer
  FROM idempotency_keys
), expired AS (
  SELECT api_key_id, key, created_at FROM counted
  WHERE created_at < now() - interval '24 hours' OR newer > $1
  ORDER BY created_at
  LIMIT $2
)
DELETE FROM idempotency_keys AS kept
USING expired
WHERE kept.api_key_id = expired.api_key_id AND kept.key = expired.key AND kept.created_at = expired.created_at
