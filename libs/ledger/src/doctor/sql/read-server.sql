-- $1 application name of workers, $2 of consumers. What doctor asks of PostgreSQL: its clock, whether it is writable, how
-- long ago a worker asked anything, what waits for one (counted up to a limit), whether its sessions are as they must be, and
-- which of those that commit visits, and doctor's own role, may not create the temporary table that visits are copied into.
SELECT
  (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now_ms,
  pg_is_in_recovery() OR current_setting('default_transaction_read_only') = 'on' AS read_only,
  current_setting('server_version') AS version,
  current_setting('TimeZone') = 'UTC' AND current_setting('statement_timeout') <> '0' AS is_set,
  quote_ident(current_database()) AS database,
  (SELECT string_agg(quote_ident(role), ', ' ORDER BY role)
   FROM (
     SELECT current_user AS role
     UNION SELECT usename FROM pg_stat_activity WHERE datname = current_database() AND application_name IN ($1, $2)
   ) AS committing
   WHERE NOT has_database_privilege(role, current_database(), 'TEMPORARY')) AS without_temporary,
  (SELECT extract(epoch FROM clock_timestamp() - max(state_change))::float8 FROM pg_stat_activity
   WHERE datname = current_database() AND application_name = $1) AS worker_seconds,
  (SELECT count(*)::integer FROM (SELECT FROM link_changes LIMIT 10001) AS change) AS link_changes,
  (SELECT count(*)::integer FROM link_outbox WHERE changed_at < now() - interval '1 minute') AS unannounced,
  (SELECT count(*)::integer FROM visits_default) AS in_default
