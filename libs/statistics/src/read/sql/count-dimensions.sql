-- $1 link, $2/$3 unit and unit_start of folds, $4/$5 ledger ranges.
SELECT counted.dimension, counted.value, sum(counted.visits)::float8 AS visits
FROM (
  SELECT kept.dimension, kept.value, kept.human + kept.bot + kept.preview + kept.prefetch + kept.opted_out AS visits
  FROM unnest($2::text[], $3::timestamptz[]) AS chosen (unit, unit_start)
  JOIN link_dimensions AS kept
    ON kept.link_id = $1 AND kept.unit = chosen.unit AND kept.unit_start = chosen.unit_start
  UNION ALL
  SELECT fresh.dimension, fresh.value, fresh.human + fresh.bot + fresh.preview + fresh.prefetch + fresh.opted_out
  FROM ledger_dimensions($1, $4::timestamptz[], $5::timestamptz[]) AS fresh
) AS counted
GROUP BY counted.dimension, counted.value
ORDER BY visits DESC, counted.value COLLATE "C"
