-- $1 link (null: all), $2 instant from which the ledger is whole, $3/$4/$5 key of the last fold seen
-- (null: none), $6 how many. Folds in key order, each with whether its checksum holds.
SELECT fold.link_id, fold.unit, fold.unit_start,
  (fold.visits, fold.checksum) IS NOT DISTINCT FROM (traffic.visits, traffic.checksum) AS valid
FROM link_folds AS fold
CROSS JOIN LATERAL (
  SELECT sum(bucket.visits)::bigint AS visits, bit_xor(bucket.checksum) AS checksum
  FROM link_traffic AS bucket
  WHERE bucket.link_id = fold.link_id AND bucket.bucket >= fold.unit_start AND bucket.bucket < fold.unit_end
) AS traffic
WHERE ($1::bigint IS NULL OR fold.link_id = $1) AND fold.unit_start >= $2::timestamptz
  AND ($3::bigint IS NULL OR (fold.link_id, fold.unit, fold.unit_start) > ($3, $4, $5::timestamptz))
ORDER BY fold.link_id, fold.unit, fold.unit_start
LIMIT $6
