-- $1 after this link, $2 up to this one (null: the last). About how many links have counters, for a progress bar.
SELECT count(*)::integer AS links FROM link_totals WHERE link_id > $1::bigint AND ($2::bigint IS NULL OR link_id <= $2)
