-- $1 link, $2/$3 unit and unit_start of folds, $4/$5 ledger ranges: distinct visitors and IPs of their union.
WITH fold AS MATERIALIZED (
  SELECT visitors, ips
  FROM unnest($2::text[], $3::timestamptz[]) AS chosen (unit, unit_start)
  JOIN link_folds AS fold
    ON fold.link_id = $1 AND fold.unit = chosen.unit AND fold.unit_start = chosen.unit_start
), visit AS MATERIALIZED (
  SELECT ledger.visitor, ledger.ip
  FROM unnest($4::timestamptz[], $5::timestamptz[]) AS span (from_time, to_time)
  JOIN visits AS ledger
    ON ledger.link_id = $1 AND ledger.occurred_at >= span.from_time AND ledger.occurred_at < span.to_time
)
SELECT
  (
    SELECT count(*) FROM (
      SELECT unnest(visitors) FROM fold UNION SELECT visitor FROM visit WHERE visitor IS NOT NULL
    ) AS visitors
  )::float8 AS visitors,
  (
    SELECT count(*) FROM (SELECT unnest(ips) FROM fold UNION SELECT ip FROM visit WHERE ip IS NOT NULL) AS ips
  )::float8 AS ips
