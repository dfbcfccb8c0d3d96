-- $1 worker id, $2 owner. The row stays, so that the id rests before somebody else takes it.
UPDATE worker_leases SET expires_at = now() WHERE worker_id = $1 AND owner = $2 AND expires_at > now()
