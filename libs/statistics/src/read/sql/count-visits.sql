-- $1 link, $2 from, $3 to (null: open), $4 classes left out, $5 buckets that a limit cuts in two, $6/$7 what
-- of those lies in the range, from the ledger.
SELECT coalesce(sum(counted.visits), 0)::float8 AS visits
FROM (
  SELECT class, visits
  FROM link_traffic
  WHERE link_id = $1
    AND bucket >= coalesce($2::timestamptz, '-infinity') AND bucket < coalesce($3::timestamptz, 'infinity')
    AND bucket <> ALL ($5::timestamptz[])
  UNION ALL
  SELECT visit.class, 1
  FROM unnest($6::timestamptz[], $7::timestamptz[]) AS edge (from_time, to_time)
  CROSS JOIN LATERAL (
    SELECT occurred_at, class FROM visits
    WHERE link_id = $1 AND occurred_at >= edge.from_time AND occurred_at < edge.to_time
    OFFSET 0 -- one index scan per range, see ledger_dimensions()
  ) AS visit
) AS counted
WHERE counted.class <> ALL ($4::smallint[])
