-- Parallel arrays: $1 link (each once), $2 first and $3 last bucket that lost visits: folds of hours from the one to the
-- other, and (by the foreign key) their dimensions. They would be invalid, but hold hashes of visitors who are gone.
-- So do the deltas of hot hours.
WITH lost AS (
  SELECT * FROM unnest($1::bigint[], $2::timestamptz[], $3::timestamptz[]) AS loss (link_id, first_bucket, last_bucket)
), deltas AS (
  DELETE FROM link_fold_deltas AS delta USING lost
  WHERE delta.link_id = lost.link_id AND delta.hour <= lost.last_bucket AND delta.hour > lost.first_bucket - interval '1 hour'
  RETURNING delta.link_id
)
DELETE FROM link_folds AS fold USING lost
-- Deltas first, as whoever folds an hour takes them.
WHERE (SELECT count(*) FROM deltas) >= 0
  AND fold.link_id = lost.link_id AND fold.hour <= lost.last_bucket AND fold.hour > lost.first_bucket - interval '1 hour'
