-- $1: months that end after it are covered by LEDGER_DAYS. Those of them that were dropped, or are closed to be.
SELECT month AT TIME ZONE 'UTC' AS month
FROM generate_series(
  date_trunc('month', $1::timestamptz AT TIME ZONE 'UTC'), date_trunc('month', now() AT TIME ZONE 'UTC'), interval '1 month'
) AS month
WHERE month + interval '1 month' > $1::timestamptz AT TIME ZONE 'UTC' AND (
  month < (SELECT kept_from AT TIME ZONE 'UTC' FROM ledger_retention)
  OR EXISTS (
    SELECT FROM pg_constraint
    WHERE conrelid = to_regclass('visits_' || to_char(month, 'YYYY_MM')) AND conname = 'closed'
  )
)
ORDER BY month DESC
