-- The lock create_visit_partitions() takes: partitions change one at a time.
SELECT pg_advisory_xact_lock(hashtext('create_visit_partitions'))
