-- The lock of the totals job: the slower of two would read first and write its older sum last.
SELECT pg_advisory_xact_lock(hashtext('link-totals'))
