-- $1 run, $2 visits whose class is another one now; null: given up. Not its begin: a file that was damaged meanwhile has the labels of before.
UPDATE relabels SET ended_at = clock_timestamp(), changed = $2::bigint WHERE id = $1 AND ended_at IS NULL RETURNING id
