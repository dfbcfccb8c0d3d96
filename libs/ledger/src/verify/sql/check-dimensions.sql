-- $1/$2/$3 keys of folds (parallel). Values of their dimensions that are not the ledger's, both ways;
-- counts by class in the order of VISIT_CLASSES.
SELECT
  fold.link_id, fold.unit, fold.unit_start, pair.dimension, pair.value,
  to_jsonb(pair.ledger_counts) AS expected,
  to_jsonb(pair.kept_counts) AS actual
FROM unnest($1::bigint[], $2::text[], $3::timestamptz[]) AS chosen (link_id, unit, unit_start)
JOIN link_folds AS fold
  ON fold.link_id = chosen.link_id AND fold.unit = chosen.unit AND fold.unit_start = chosen.unit_start
CROSS JOIN LATERAL (
  SELECT
    coalesce(kept.dimension, ledger.dimension) AS dimension,
    coalesce(kept.value, ledger.value) AS value,
    kept.counts AS kept_counts,
    ledger.counts AS ledger_counts
  FROM (
    SELECT dimension, value, ARRAY[human, bot, preview, prefetch, opted_out] AS counts
    FROM link_dimensions
    WHERE link_id = fold.link_id AND unit = fold.unit AND unit_start = fold.unit_start
  ) AS kept
  FULL JOIN (
    SELECT dimension, value, ARRAY[human, bot, preview, prefetch, opted_out] AS counts
    FROM ledger_dimensions(fold.link_id, ARRAY[fold.unit_start], ARRAY[fold.unit_end])
  ) AS ledger
    ON ledger.dimension = kept.dimension AND ledger.value = kept.value
) AS pair
WHERE pair.kept_counts IS DISTINCT FROM pair.ledger_counts
