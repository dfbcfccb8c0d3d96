-- $1 start of the first hour not closed yet, $2 how many. Cleared before the ledger is read: a visit
-- committed later makes its hour due again, so none is missed between the two.
UPDATE fold_candidates AS candidate
SET hour_due = false
FROM (
  SELECT link_id, hour FROM fold_candidates
  WHERE hour_due AND hour < $1::timestamptz
  ORDER BY hour, link_id LIMIT $2
  FOR UPDATE SKIP LOCKED
) AS due
WHERE candidate.link_id = due.link_id AND candidate.hour = due.hour
RETURNING candidate.link_id, candidate.hour
