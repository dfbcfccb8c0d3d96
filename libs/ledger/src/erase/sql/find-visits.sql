-- $1 from and $2 before which instant, $3 hashes of visitors, $4 of addresses (one of the two is empty), $5 how many at most.
SELECT link_id, occurred_at, event_id FROM visits
WHERE occurred_at >= $1::timestamptz AND occurred_at < $2::timestamptz
  AND (visitor = ANY ($3::bigint[]) OR ip = ANY ($4::bigint[]))
ORDER BY link_id, occurred_at, event_id
LIMIT $5
