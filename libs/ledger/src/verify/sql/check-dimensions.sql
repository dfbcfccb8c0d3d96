-- $1/$2 keys of folds (parallel). Values of their dimensions that are not the ledger's, both ways;
-- counts by class in the order of VISIT_CLASSES.
SELECT
  fold.link_id, fold.hour, pair.dimension, pair.value,
  to_jsonb(pair.ledger_counts) AS expected,
  to_jsonb(pair.kept_counts) AS actual
FROM unnest($1::bigint[], $2::timestamptz[]) AS chosen (link_id, hour)
JOIN link_folds AS fold ON fold.link_id = chosen.link_id AND fold.hour = chosen.hour
CROSS JOIN LATERAL (
  SELECT
    coalesce(kept.dimension, ledger.dimension) AS dimension,
    coalesce(kept.value, ledger.value) AS value,
    kept.counts AS kept_counts,
    ledger.counts AS ledger_counts
  FROM (
    SELECT dimension, value, ARRAY[human, bot, preview, prefetch, opted_out] AS counts
    FROM link_dimensions
    WHERE link_id = fold.link_id AND hour = fold.hour
  ) AS kept
  FULL JOIN (
    SELECT dimension, value, ARRAY[human, bot, preview, prefetch, opted_out] AS counts
    FROM ledger_dimensions(fold.link_id, ARRAY[fold.hour], ARRAY[fold.hour + interval '1 hour'])
  ) AS ledger
    ON ledger.dimension = kept.dimension AND ledger.value = kept.value
) AS pair
WHERE pair.kept_counts IS DISTINCT FROM pair.ledger_counts
