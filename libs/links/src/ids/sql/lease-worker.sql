-- $1 owner, $2 lease in ms, $3 rest in ms. Takes a worker id nobody used, else one that has rested for $3 after
-- its lease ended: a new owner whose clock is behind must not repeat the last milliseconds of the old one.
-- No row: another process took the same one at the same moment (ask again), or all 1,024 are held.
INSERT INTO worker_leases AS held (worker_id, owner, expires_at)
SELECT candidate.worker_id, $1, now() + $2::bigint * interval '1 millisecond'
FROM generate_series(0, 1023) AS candidate (worker_id)
LEFT JOIN worker_leases AS taken USING (worker_id)
WHERE taken.worker_id IS NULL OR taken.expires_at < now() - $3::bigint * interval '1 millisecond'
ORDER BY taken.expires_at NULLS FIRST, random()
LIMIT 1
ON CONFLICT (worker_id) DO UPDATE
  SET owner = excluded.owner, expires_at = excluded.expires_at
  WHERE held.expires_at < now() - $3::bigint * interval '1 millisecond'
RETURNING worker_id
