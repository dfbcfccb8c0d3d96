-- $1 owner, $2 lease in ms, $3 rest in ms, $4 the taker's clock in ms. Takes a worker id nobody used, else one that has
-- rested for $3 after its lease ended and whose last millisecond is over by the taker's clock, which may have been set
-- back. The milliseconds from $4 to the new last_ms are the taker's alone.
-- No row: another process took the same one at the same moment (ask again), or there is none.
INSERT INTO worker_leases AS held (worker_id, owner, expires_at, last_ms)
SELECT candidate.worker_id, $1, now() + $2::bigint * interval '1 millisecond', $4::bigint + $2::bigint
FROM generate_series(0, 1023) AS candidate (worker_id)
LEFT JOIN worker_leases AS taken USING (worker_id)
WHERE taken.worker_id IS NULL
  OR (taken.expires_at < now() - $3::bigint * interval '1 millisecond' AND taken.last_ms < $4::bigint)
ORDER BY taken.expires_at NULLS FIRST, random()
LIMIT 1
ON CONFLICT (worker_id) DO UPDATE
  SET owner = excluded.owner, expires_at = excluded.expires_at, last_ms = excluded.last_ms
  WHERE held.expires_at < now() - $3::bigint * interval '1 millisecond' AND held.last_ms < $4::bigint
RETURNING worker_id, last_ms
