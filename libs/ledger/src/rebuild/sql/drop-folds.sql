-- $1 link ids, $2 units, $3 starts (parallel). Drops these folds and has their hours folded again; until
-- then readers take the ledger. Folds of months the ledger dropped are all that is left of them: they stay.
WITH dropped AS (
  DELETE FROM link_folds AS fold
  USING unnest($1::bigint[], $2::text[], $3::timestamptz[]) AS wrong (link_id, unit, unit_start)
  WHERE fold.link_id = wrong.link_id AND fold.unit = wrong.unit AND fold.unit_start = wrong.unit_start
    AND fold.unit_start >= coalesce((SELECT kept_from FROM ledger_retention), '-infinity')
  RETURNING fold.link_id, fold.unit, fold.unit_start, fold.unit_end
), dropped_deltas AS (
  DELETE FROM link_fold_deltas AS delta
  USING dropped
  WHERE dropped.unit = 'hour' AND delta.link_id = dropped.link_id AND delta.hour = dropped.unit_start
)
INSERT INTO fold_candidates AS candidate (link_id, hour)
SELECT DISTINCT dropped.link_id, date_trunc('hour', traffic.bucket)
FROM dropped
JOIN link_traffic AS traffic
  ON traffic.link_id = dropped.link_id
  AND traffic.bucket >= dropped.unit_start AND traffic.bucket < dropped.unit_end
ORDER BY 1, 2
ON CONFLICT (link_id, hour) DO UPDATE SET hour_due = true WHERE NOT candidate.hour_due
