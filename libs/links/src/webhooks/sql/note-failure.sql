-- $1 webhook, $2 now, $3 the reason, $4 failures, $5 since when, $6 when it is tried again, $7 why it is disabled (null: it is not)
UPDATE webhooks
SET failed_at = $2, failure = $3, failures = $4, failing_since = $5, resumes_at = $6,
  enabled = $7::text IS NULL, disabled_reason = $7
WHERE id = $1
