-- $1 link, $2 from, $3 to. The folds that lie inside and, with what commits added to them since, say what
-- the buckets of their unit say. An hour that goes on after the end lies inside if no visit does (mostly
-- the open one, asked for up to now). Sizes are known only where nothing was added.
SELECT fold.unit, fold.unit_start, fold.unit_end, fold.visits + delta.visits AS visits,
  CASE WHEN delta.visits = 0 THEN cardinality(fold.visitors) END AS visitors,
  CASE WHEN delta.visits = 0 THEN cardinality(fold.ips) END AS ips
FROM link_folds AS fold
CROSS JOIN LATERAL (
  SELECT sum(traffic.visits) AS visits, bit_xor(traffic.checksum) AS checksum
  FROM link_traffic AS traffic
  WHERE traffic.link_id = fold.link_id AND traffic.bucket >= fold.unit_start AND traffic.bucket < fold.unit_end
) AS unit
CROSS JOIN LATERAL (
  SELECT coalesce(sum(added.visits), 0) AS visits, coalesce(bit_xor(added.checksum), 0) AS checksum
  FROM link_fold_deltas AS added
  WHERE fold.unit = 'hour' AND added.link_id = fold.link_id AND added.hour = fold.unit_start
) AS delta
WHERE fold.link_id = $1 AND fold.unit_start >= $2::timestamptz AND fold.unit_start < $3::timestamptz
  AND (
    fold.unit_end <= $3::timestamptz
    OR (fold.unit = 'hour' AND NOT EXISTS (
      SELECT FROM visits
      WHERE link_id = $1 AND occurred_at >= $3::timestamptz AND occurred_at < fold.unit_end
    ))
  )
  AND (fold.visits + delta.visits, fold.checksum # delta.checksum) = (unit.visits, unit.checksum)
