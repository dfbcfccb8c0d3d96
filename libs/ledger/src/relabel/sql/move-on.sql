-- $1 run, $2 and $3 where it was, $4 and $5 where it is, $6 visits read between. No row: somebody else moved it, or ended it.
UPDATE relabels SET read_to_time = $4::timestamptz, read_to_id = $5::uuid, visits = visits + $6,
  kept_from = greatest(kept_from, (SELECT kept_from FROM ledger_retention))
WHERE id = $1 AND ended_at IS NULL AND read_to_time = $2::timestamptz AND read_to_id = $3::uuid
RETURNING id
