-- $1 id, $2 outcome, $3 counts, $4 error
UPDATE operator_actions
SET ended_at = now(), outcome = $2, counts = $3::jsonb, error = $4
WHERE id = $1
