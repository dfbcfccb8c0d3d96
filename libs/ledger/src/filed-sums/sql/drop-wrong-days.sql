-- $1/$2 from and to. Days whose aggregates of a scope are not what its buckets say: without their row of all links they are due again.
DELETE FROM day_aggregates
WHERE scope = 'all' AND class = 'all' AND day_start IN (
  SELECT kept.day_start
  FROM day_aggregates AS kept
  CROSS JOIN LATERAL (
    SELECT coalesce(sum(visits), 0) AS visits, coalesce(bit_xor(checksum), 0) AS checksum
    FROM scope_traffic AS traffic
    WHERE traffic.scope = kept.scope AND traffic.scope_id = kept.scope_id
      AND traffic.bucket >= kept.day_start AND traffic.bucket < kept.day_end
  ) AS counted
  WHERE kept.scope <> 'link' AND kept.class = 'all' AND kept.day_end > $1::timestamptz AND kept.day_start < $2::timestamptz
    AND (kept.visits, kept.checksum) <> (counted.visits, counted.checksum)
)
