-- $1 link, $2 first and $3 last bucket that lost visits: folds of hours with one of them, and (by the
-- foreign key) their dimensions. They would be invalid, but hold hashes of visitors who are gone.
-- So do the deltas of hot hours.
WITH deltas AS (
  DELETE FROM link_fold_deltas
  WHERE link_id = $1 AND hour <= $3::timestamptz AND hour + interval '1 hour' > $2::timestamptz
)
DELETE FROM link_folds
WHERE link_id = $1 AND hour <= $3::timestamptz AND hour + interval '1 hour' > $2::timestamptz
