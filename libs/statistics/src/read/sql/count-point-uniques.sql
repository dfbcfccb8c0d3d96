-- $1 link, $2/$3 hour and point of folds, $4/$5 ledger ranges, $6 ascending starts of the points. Distinct visitors and IPs of each point (0-based); points without a visit do not appear.
WITH fold AS MATERIALIZED (
  SELECT chosen.point, fold.visitors, fold.ips
  FROM unnest($2::timestamptz[], $3::integer[]) AS chosen (hour, point)
  JOIN link_folds AS fold ON fold.link_id = $1 AND fold.hour = chosen.hour
  UNION ALL
  SELECT chosen.point, added.visitors, added.ips
  FROM unnest($2::timestamptz[], $3::integer[]) AS chosen (hour, point)
  JOIN link_fold_deltas AS added ON added.link_id = $1 AND added.hour = chosen.hour
), visit AS MATERIALIZED (
  SELECT width_bucket(ledger.occurred_at, $6::timestamptz[]) - 1 AS point, ledger.visitor, ledger.ip
  FROM unnest($4::timestamptz[], $5::timestamptz[]) AS span (from_time, to_time)
  CROSS JOIN LATERAL (
    SELECT occurred_at, visitor, ip FROM visits
    WHERE link_id = $1 AND occurred_at >= span.from_time AND occurred_at < span.to_time
    OFFSET 0 -- one index scan per range, see ledger_dimensions()
  ) AS ledger
), visitors AS (
  SELECT point, count(*) AS visitors FROM (
    SELECT point, unnest(visitors) FROM fold
    UNION SELECT point, visitor FROM visit WHERE visitor IS NOT NULL
  ) AS pairs GROUP BY point
), ips AS (
  SELECT point, count(*) AS ips FROM (
    SELECT point, unnest(ips) FROM fold UNION SELECT point, ip FROM visit WHERE ip IS NOT NULL
  ) AS pairs GROUP BY point
)
SELECT point, coalesce(visitors.visitors, 0)::float8 AS visitors, coalesce(ips.ips, 0)::float8 AS ips
FROM visitors FULL JOIN ips USING (point)
