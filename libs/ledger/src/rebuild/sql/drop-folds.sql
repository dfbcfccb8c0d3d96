-- $1 link ids, $2 hours (parallel). Drops these folds; from then on readers take files or the ledger.
WITH dropped AS (
  DELETE FROM link_folds AS fold
  USING unnest($1::bigint[], $2::timestamptz[]) AS wrong (link_id, hour)
  WHERE fold.link_id = wrong.link_id AND fold.hour = wrong.hour
  RETURNING fold.link_id, fold.hour
)
DELETE FROM link_fold_deltas AS delta
USING dropped
WHERE delta.link_id = dropped.link_id AND delta.hour = dropped.hour
