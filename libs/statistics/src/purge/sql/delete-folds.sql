-- $1 link, $2 first and $3 last bucket that lost visits: folds of units with one of them, and (by the
-- foreign key) their dimensions. They would be invalid, but hold hashes of visitors who are gone.
DELETE FROM link_folds
WHERE link_id = $1 AND unit_start <= $3::timestamptz AND unit_end > $2::timestamptz
