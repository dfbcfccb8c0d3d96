-- What doctor asks of PostgreSQL: its clock, whether it is writable, the ledger's partition of 28 days from now,
-- and hours that wait for the folder although they ended two hours ago.
SELECT
  (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now_ms,
  pg_is_in_recovery() OR current_setting('default_transaction_read_only') = 'on' AS read_only,
  current_setting('server_version') AS version,
  to_regclass('visits_' || to_char((now() + interval '28 days') AT TIME ZONE 'UTC', 'YYYY_MM')) IS NOT NULL AS next_month,
  (SELECT count(*)::integer FROM visits_default) AS in_default,
  (SELECT count(*)::integer FROM fold_candidates WHERE hour_due AND hour < now() - interval '3 hours') AS unfolded
