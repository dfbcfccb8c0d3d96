-- $1 link, $2 unit, $3 start, $4 end
INSERT INTO link_dimensions (
  link_id, unit, unit_start, dimension, value, human, bot, preview, prefetch, opted_out
)
SELECT $1, $2, $3::timestamptz, dimension, value, human, bot, preview, prefetch, opted_out
FROM ledger_dimensions($1, ARRAY[$3::timestamptz], ARRAY[$4::timestamptz])
