-- $1 webhook, $2 how many are kept. Two that trim at once take different rows.
DELETE FROM webhook_deliveries
WHERE webhook_id = $1 AND event_id IN (
  SELECT event_id FROM webhook_deliveries
  WHERE webhook_id = $1 AND attempted_at < (
    SELECT attempted_at FROM webhook_deliveries WHERE webhook_id = $1
    ORDER BY attempted_at DESC OFFSET $2::integer - 1 LIMIT 1
  )
  FOR UPDATE SKIP LOCKED
)
