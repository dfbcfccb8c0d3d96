-- $1 link, $2 hours of folds, $3/$4 ledger ranges. A row per dimension: its values and their visits (parallel).
-- JSON, because tens of thousands of rows cost the driver more than PostgreSQL; float8, because it adds up
-- faster than bigint (exact up to 2^53).
SELECT counted.dimension, json_agg(counted.value) AS values, json_agg(counted.visits) AS visits
FROM (
  SELECT source.dimension, source.value, sum(source.visits) AS visits
  FROM (
    SELECT dimension, value, (human + bot + preview + prefetch + opted_out)::float8 AS visits
    FROM link_dimensions
    WHERE link_id = $1 AND hour = ANY ($2::timestamptz[])
    UNION ALL
    SELECT added.dimension, added.value,
      (added.human + added.bot + added.preview + added.prefetch + added.opted_out)::float8
    FROM link_fold_deltas AS delta
    CROSS JOIN LATERAL unnest(
      delta.dimensions, delta.dimension_values, delta.human, delta.bot, delta.preview, delta.prefetch, delta.opted_out
    ) AS added (dimension, value, human, bot, preview, prefetch, opted_out)
    WHERE delta.link_id = $1 AND delta.hour = ANY ($2::timestamptz[])
    UNION ALL
    SELECT dimension, value, (human + bot + preview + prefetch + opted_out)::float8
    FROM ledger_dimensions($1, $3::timestamptz[], $4::timestamptz[])
    WHERE cardinality($3::timestamptz[]) > 0
  ) AS source
  GROUP BY source.dimension, source.value
) AS counted
GROUP BY counted.dimension
