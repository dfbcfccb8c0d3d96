-- $1 start of the first day not closed yet, $2 how many. Their days are closed: nothing waits for them
-- any more; a later visit brings a candidate back.
DELETE FROM fold_candidates AS candidate
USING (
  SELECT link_id, hour FROM fold_candidates
  WHERE NOT hour_due AND hour <= $1::timestamptz - interval '1 hour'
  ORDER BY hour, link_id LIMIT $2
  FOR UPDATE SKIP LOCKED
) AS closed
WHERE candidate.link_id = closed.link_id AND candidate.hour = closed.hour
RETURNING candidate.link_id, candidate.hour
