-- $1 run, $2 visits whose class is another one now; null: given up.
UPDATE relabels SET ended_at = now(), changed = $2::bigint WHERE id = $1 AND ended_at IS NULL RETURNING id
