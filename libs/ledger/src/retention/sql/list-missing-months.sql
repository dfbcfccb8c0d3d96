-- Months (UTC) from now to two months ahead, which is how far create_visit_partitions() is asked for, without a partition.
SELECT to_char(month, 'YYYY-MM') AS month
FROM generate_series(
  date_trunc('month', now() AT TIME ZONE 'UTC'), (now() + interval '2 months') AT TIME ZONE 'UTC', interval '1 month'
) AS month
WHERE to_regclass('visits_' || to_char(month, 'YYYY_MM')) IS NULL
ORDER BY month
