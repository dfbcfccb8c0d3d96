-- $1 worker id, $2 owner, $3 lease in ms. No row: the lease ended and must be taken anew.
UPDATE worker_leases
SET expires_at = now() + $3::bigint * interval '1 millisecond'
WHERE worker_id = $1 AND owner = $2 AND expires_at > now()
RETURNING worker_id
