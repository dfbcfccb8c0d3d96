-- $1 name. One repairer at a time: two would each add what is missing. Taken by a statement of its own, so
-- that the next one's snapshot holds what the repairer before has committed.
SELECT pg_advisory_xact_lock(hashtext('repair ' || $1))
