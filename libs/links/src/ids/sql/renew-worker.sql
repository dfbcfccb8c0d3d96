-- $1 worker id, $2 owner, $3 lease in ms, $4 until which ms of its clock the owner may make ids. No row: the lease ended
-- and must be taken anew.
UPDATE worker_leases
SET expires_at = now() + $3::bigint * interval '1 millisecond', last_ms = greatest(last_ms, $4::bigint)
WHERE worker_id = $1 AND owner = $2 AND expires_at > now()
RETURNING worker_id, last_ms
