-- $1 'hour' or 'day', $2 link, $3 start, $4 end of units (parallel), $5 threshold. Those that want
-- folding: large enough and not folded yet, or folded and no longer what their buckets say; and whose
-- part of the ledger is still there.
SELECT unit.link_id, unit.unit_start, unit.unit_end
FROM unnest($2::bigint[], $3::timestamptz[], $4::timestamptz[]) AS unit (link_id, unit_start, unit_end)
CROSS JOIN LATERAL (
  SELECT sum(traffic.visits) AS visits, bit_xor(traffic.checksum) AS checksum
  FROM link_traffic AS traffic
  WHERE traffic.link_id = unit.link_id AND traffic.bucket >= unit.unit_start AND traffic.bucket < unit.unit_end
) AS counted
LEFT JOIN link_folds AS fold
  ON fold.link_id = unit.link_id AND fold.unit = $1 AND fold.unit_start = unit.unit_start
WHERE CASE
  WHEN fold.link_id IS NULL THEN counted.visits >= $5::bigint
  ELSE (fold.visits, fold.checksum) IS DISTINCT FROM (counted.visits::bigint, counted.checksum)
    OR fold.unit_end <> unit.unit_end
END
AND unit.unit_start >= coalesce((SELECT kept_from FROM ledger_retention), '-infinity')
