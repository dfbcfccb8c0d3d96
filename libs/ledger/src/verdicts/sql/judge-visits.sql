-- $1 occurred_at[], $2 event_id[], $3 link_id[] (parallel): what the ledger would do with each, in their order.
SELECT
  CASE
    WHEN EXISTS (
      SELECT FROM visits WHERE visits.occurred_at = given.occurred_at AND visits.event_id = given.event_id
    ) THEN 'counted'
    WHEN given.occurred_at < link.purged_before THEN 'purged'
    -- Also of a person who was erased.
    WHEN EXISTS (
      SELECT FROM purged_visits AS purged
      WHERE purged.occurred_at = given.occurred_at AND purged.event_id = given.event_id
    ) THEN 'purged'
    -- Its month was dropped: nobody can tell any more whether it was counted.
    WHEN given.occurred_at < (SELECT kept_from FROM ledger_retention) THEN 'dropped'
    ELSE 'missing'
  END AS verdict
FROM unnest($1::timestamptz[], $2::uuid[], $3::bigint[])
  WITH ORDINALITY AS given (occurred_at, event_id, link_id, place)
LEFT JOIN links AS link ON link.id = given.link_id
ORDER BY given.place
