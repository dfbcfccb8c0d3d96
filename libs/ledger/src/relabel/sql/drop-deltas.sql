-- What commits left beside the folds of these hours: first, so that who is merging some has ended before the folds go.
DELETE FROM link_fold_deltas AS delta
USING (SELECT DISTINCT link_id, date_bin('1 hour', bucket, '2000-01-01 00:00:00+00') AS hour FROM moves) AS moved
WHERE delta.link_id = moved.link_id AND delta.hour = moved.hour
