SELECT pg_advisory_xact_lock(hashtext('repair-orphan-slots'))
