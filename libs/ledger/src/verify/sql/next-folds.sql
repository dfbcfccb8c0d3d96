-- $1 link (null: all), $2 instant from which the ledger is whole, $3/$4 key of the last fold seen
-- (null: none), $5 how many. Folds in key order, each with whether its checksum holds.
SELECT fold.link_id, fold.hour,
  (fold.visits, fold.checksum) IS NOT DISTINCT FROM (traffic.visits, traffic.checksum) AS valid
FROM link_folds AS fold
CROSS JOIN LATERAL (
  SELECT sum(bucket.visits)::bigint AS visits, bit_xor(bucket.checksum) AS checksum
  FROM link_traffic AS bucket
  WHERE bucket.link_id = fold.link_id AND bucket.bucket >= fold.hour
    AND bucket.bucket < fold.hour + interval '1 hour'
) AS traffic
WHERE ($1::bigint IS NULL OR fold.link_id = $1) AND fold.hour >= $2::timestamptz
  AND ($3::bigint IS NULL OR (fold.link_id, fold.hour) > ($3, $4::timestamptz))
ORDER BY fold.link_id, fold.hour
LIMIT $5
