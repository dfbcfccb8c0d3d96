-- $1 link, $2/$3 ranges, $4 ascending starts of the series' points. Visits of the ledger by point (0-based) and class.
SELECT width_bucket(visit.occurred_at, $4::timestamptz[]) - 1 AS point, visit.class, count(*)::float8 AS visits
FROM unnest($2::timestamptz[], $3::timestamptz[]) AS edge (from_time, to_time)
CROSS JOIN LATERAL (
  SELECT occurred_at, class FROM visits
  WHERE link_id = $1 AND occurred_at >= edge.from_time AND occurred_at < edge.to_time
  OFFSET 0 -- one index scan per range, see ledger_dimensions()
) AS visit
GROUP BY 1, 2
