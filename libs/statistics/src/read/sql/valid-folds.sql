-- $1 link, $2 from, $3 to. The folds that lie inside and, with what commits added to them since, say what
-- the buckets of their hour say. An hour that goes on after the end lies inside if no visit does (mostly
-- the open one, asked for up to now). Sizes are known only where nothing was added.
SELECT fold.hour, fold.visits + delta.visits AS visits,
  CASE WHEN delta.visits = 0 THEN cardinality(fold.visitors) END AS visitors,
  CASE WHEN delta.visits = 0 THEN cardinality(fold.ips) END AS ips
FROM link_folds AS fold
CROSS JOIN LATERAL (
  SELECT sum(traffic.visits) AS visits, bit_xor(traffic.checksum) AS checksum
  FROM link_traffic AS traffic
  WHERE traffic.link_id = fold.link_id AND traffic.bucket >= fold.hour
    AND traffic.bucket < fold.hour + interval '1 hour'
) AS kept
CROSS JOIN LATERAL (
  SELECT coalesce(sum(added.visits), 0) AS visits, coalesce(bit_xor(added.checksum), 0) AS checksum
  FROM link_fold_deltas AS added
  WHERE added.link_id = fold.link_id AND added.hour = fold.hour
) AS delta
WHERE fold.link_id = $1 AND fold.hour >= $2::timestamptz AND fold.hour < $3::timestamptz
  AND (
    fold.hour + interval '1 hour' <= $3::timestamptz
    OR NOT EXISTS (
      SELECT FROM visits
      WHERE link_id = $1 AND occurred_at >= $3::timestamptz AND occurred_at < fold.hour + interval '1 hour'
    )
  )
  AND (fold.visits + delta.visits, fold.checksum # delta.checksum) = (kept.visits, kept.checksum)
