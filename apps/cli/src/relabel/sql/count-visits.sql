-- $1 from, $2 to. How many visits PostgreSQL has of that time, as their sums say it: for a progress bar.
SELECT coalesce(sum(visits), 0)::float8 AS visits
FROM scope_traffic
WHERE scope = 'all' AND scope_id = ''
  AND bucket >= greatest($1::timestamptz, (SELECT kept_from FROM ledger_retention)) AND bucket < $2::timestamptz
