-- $1 link, $2 hour
DELETE FROM link_fold_deltas WHERE link_id = $1 AND hour = $2::timestamptz
