-- $1 link, $2 from, $3 to. The folds that lie inside and still say what the buckets of their unit say.
SELECT fold.unit, fold.unit_start, fold.unit_end, fold.visits,
  cardinality(fold.visitors) AS visitors, cardinality(fold.ips) AS ips
FROM link_folds AS fold
CROSS JOIN LATERAL (
  SELECT sum(traffic.visits) AS visits, bit_xor(traffic.checksum) AS checksum
  FROM link_traffic AS traffic
  WHERE traffic.link_id = fold.link_id AND traffic.bucket >= fold.unit_start AND traffic.bucket < fold.unit_end
) AS unit
WHERE fold.link_id = $1 AND fold.unit_start >= $2::timestamptz AND fold.unit_end <= $3::timestamptz
  AND (fold.visits, fold.checksum) = (unit.visits, unit.checksum)
