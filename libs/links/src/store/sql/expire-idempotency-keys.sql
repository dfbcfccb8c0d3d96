-- $1 how many results are kept at most, $2 how many rows to delete. The oldest that are over age, or over the number;
-- not those that somebody claims anew meanwhile.
WITH over_number AS (
  SELECT created_at
  FROM (SELECT created_at, sum(results) OVER (ORDER BY created_at DESC) AS newer FROM idempotency_keys) AS counted
  WHERE newer > $1
  ORDER BY created_at DESC
  LIMIT 1
)
DELETE FROM idempotency_keys
WHERE ctid = ANY (ARRAY(
  SELECT ctid FROM idempotency_keys
  WHERE created_at <= greatest(now() - interval '24 hours', (SELECT created_at FROM over_number))
  ORDER BY created_at
  LIMIT $2
  FOR UPDATE
))
