-- $1 webhook, $2 event, $3 now, $4 attempts, $5 the answer, $6 when it is posted again (null: it is given up).
WITH kept AS (
  UPDATE webhook_events SET due_at = $6 WHERE webhook_id = $1 AND event_id = $2 AND $6::timestamptz IS NOT NULL
  RETURNING body
), dropped AS (
  DELETE FROM webhook_events WHERE webhook_id = $1 AND event_id = $2 AND $6::timestamptz IS NULL
  RETURNING body
)
INSERT INTO webhook_deliveries (webhook_id, event_id, body, attempts, delivered, answer, attempted_at)
SELECT $1, $2, body, $4, false, $5, $3 FROM (SELECT body FROM kept UNION ALL SELECT body FROM dropped) AS tried
ON CONFLICT ON CONSTRAINT webhook_deliveries_pkey DO UPDATE
  SET attempts = excluded.attempts, delivered = false, answer = excluded.answer, attempted_at = excluded.attempted_at
