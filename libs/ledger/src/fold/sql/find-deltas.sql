-- $1 start of the open hour, $2 visits in a fold per visit waiting, $3 rows waiting at most, $4 rows from which it may
-- pay, $5 hours at most. Hours whose deltas are worth merging: they have no fold yet, have grown to a part of it (so that
-- each visit is written a few times, however large the hour), they are many, or the hour is over.
SELECT delta.link_id, delta.hour, delta.visits::float8 AS visits
FROM (
  SELECT link_id, hour, sum(visits) AS visits, count(*) AS rows FROM link_fold_deltas GROUP BY link_id, hour
) AS delta
LEFT JOIN link_folds AS fold ON fold.link_id = delta.link_id AND fold.hour = delta.hour
WHERE fold.link_id IS NULL OR delta.hour < $1::timestamptz OR delta.rows >= $3::integer
  OR (delta.rows >= $4::integer AND delta.visits * $2::integer >= fold.visits)
ORDER BY delta.hour, delta.link_id
LIMIT $5
