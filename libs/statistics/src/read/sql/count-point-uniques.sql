-- $1 link, $2/$3/$4 unit, unit_start and point of folds, $5/$6 ledger ranges, $7 ascending starts of the
-- points. Distinct visitors and IPs of each point (0-based); points without a visit do not appear.
WITH fold AS MATERIALIZED (
  SELECT chosen.point, fold.visitors, fold.ips
  FROM unnest($2::text[], $3::timestamptz[], $4::integer[]) AS chosen (unit, unit_start, point)
  JOIN link_folds AS fold
    ON fold.link_id = $1 AND fold.unit = chosen.unit AND fold.unit_start = chosen.unit_start
  UNION ALL
  SELECT chosen.point, added.visitors, added.ips
  FROM unnest($2::text[], $3::timestamptz[], $4::integer[]) AS chosen (unit, unit_start, point)
  JOIN link_fold_deltas AS added
    ON added.link_id = $1 AND chosen.unit = 'hour' AND added.hour = chosen.unit_start
), visit AS MATERIALIZED (
  SELECT width_bucket(ledger.occurred_at, $7::timestamptz[]) - 1 AS point, ledger.visitor, ledger.ip
  FROM unnest($5::timestamptz[], $6::timestamptz[]) AS span (from_time, to_time)
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
