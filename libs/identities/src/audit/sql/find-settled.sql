-- The instant before which no entry comes any more: an entry has the time at which its transaction began, so the oldest one under
-- way says it. A second is kept off for one that has begun and is not shown here yet. To be asked before what it is for.
SELECT floor(extract(epoch FROM least(now() - interval '1 second', min(xact_start))) * 1000)::float8 AS "settledMs"
FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type <> 'autovacuum worker'
