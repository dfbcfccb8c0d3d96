-- $1 link, $2 hours of folds, $3/$4 ledger ranges: distinct visitors and IPs of their union.
WITH fold AS MATERIALIZED (
  SELECT visitors, ips FROM link_folds WHERE link_id = $1 AND hour = ANY ($2::timestamptz[])
  UNION ALL
  SELECT visitors, ips FROM link_fold_deltas WHERE link_id = $1 AND hour = ANY ($2::timestamptz[])
), visit AS MATERIALIZED (
  SELECT ledger.visitor, ledger.ip
  FROM unnest($3::timestamptz[], $4::timestamptz[]) AS span (from_time, to_time)
  CROSS JOIN LATERAL (
    SELECT visitor, ip FROM visits
    WHERE link_id = $1 AND occurred_at >= span.from_time AND occurred_at < span.to_time
    OFFSET 0 -- one index scan per range, see ledger_dimensions()
  ) AS ledger
)
SELECT
  (
    SELECT count(DISTINCT id) FROM (SELECT unnest(visitors) AS id FROM fold UNION ALL SELECT visitor FROM visit) AS ids
  )::float8 AS visitors,
  (
    SELECT count(DISTINCT id) FROM (SELECT unnest(ips) AS id FROM fold UNION ALL SELECT ip FROM visit) AS ids
  )::float8 AS ips
