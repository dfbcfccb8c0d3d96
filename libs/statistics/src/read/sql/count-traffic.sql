-- $1 link, $2 from, $3 to, $4 ascending starts of the series' points, $5 buckets that a limit cuts in
-- two, $6/$7 what of those lies in the range, from the ledger. Visits by point (0-based) and class.
SELECT width_bucket(counted.at, $4::timestamptz[]) - 1 AS point, counted.class, sum(counted.visits)::float8 AS visits
FROM (
  SELECT traffic.bucket AS at, traffic.class, traffic.visits
  FROM link_traffic AS traffic
  WHERE traffic.link_id = $1 AND traffic.bucket >= $2::timestamptz AND traffic.bucket < $3::timestamptz
    AND traffic.bucket <> ALL ($5::timestamptz[])
  UNION ALL
  SELECT visit.occurred_at, visit.class, 1
  FROM unnest($6::timestamptz[], $7::timestamptz[]) AS edge (from_time, to_time)
  CROSS JOIN LATERAL (
    SELECT occurred_at, class FROM visits
    WHERE link_id = $1 AND occurred_at >= edge.from_time AND occurred_at < edge.to_time
    OFFSET 0 -- one index scan per range, see ledger_dimensions()
  ) AS visit
) AS counted
GROUP BY 1, 2
