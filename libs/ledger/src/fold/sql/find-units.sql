-- $1 'hour' or 'day', $2 ascending limits of adjoining units, $3 threshold, $4 how many at most. Units of
-- any link between the first and the last limit that want folding (see filter-units.sql).
SELECT counted.link_id, counted.unit_start, counted.unit_end
FROM (
  SELECT
    link_id,
    ($2::timestamptz[])[width_bucket(bucket, $2::timestamptz[])] AS unit_start,
    ($2::timestamptz[])[width_bucket(bucket, $2::timestamptz[]) + 1] AS unit_end,
    sum(visits)::bigint AS visits,
    bit_xor(checksum) AS checksum
  FROM link_traffic
  WHERE bucket >= ($2::timestamptz[])[1] AND bucket < ($2::timestamptz[])[cardinality($2::timestamptz[])]
  GROUP BY 1, 2, 3
) AS counted
LEFT JOIN link_folds AS fold
  ON fold.link_id = counted.link_id AND fold.unit = $1 AND fold.unit_start = counted.unit_start
WHERE CASE
  WHEN fold.link_id IS NULL THEN counted.visits >= $3::bigint
  ELSE (fold.visits, fold.checksum) IS DISTINCT FROM (counted.visits, counted.checksum)
    OR fold.unit_end <> counted.unit_end
END
AND counted.unit_start >= coalesce((SELECT kept_from FROM ledger_retention), '-infinity')
ORDER BY counted.unit_start, counted.link_id
LIMIT $4
