-- $1 from and $2 before which instant, $3 hashes of addresses, $4 how many at most.
WITH doomed AS MATERIALIZED (
  SELECT occurred_at, event_id FROM orphan_visits
  WHERE occurred_at >= $1::timestamptz AND occurred_at < $2::timestamptz AND ip = ANY ($3::bigint[])
  ORDER BY occurred_at, event_id
  LIMIT $4
  FOR UPDATE
)
DELETE FROM orphan_visits AS orphan USING doomed
WHERE orphan.occurred_at = doomed.occurred_at AND orphan.event_id = doomed.event_id
