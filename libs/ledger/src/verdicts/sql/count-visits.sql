-- $1 occurred_at[], $2 event_id[] (parallel): how many of them the ledger holds.
SELECT count(*)::integer AS counted
FROM unnest($1::timestamptz[], $2::uuid[]) AS given (occurred_at, event_id)
WHERE EXISTS (
  SELECT FROM visits WHERE visits.occurred_at = given.occurred_at AND visits.event_id = given.event_id
)
