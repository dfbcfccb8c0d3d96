-- $1 link, $2 hour
INSERT INTO link_dimensions (link_id, hour, dimension, value, human, bot, preview, prefetch, opted_out)
SELECT $1, $2::timestamptz, dimension, value, human, bot, preview, prefetch, opted_out
FROM ledger_dimensions($1, ARRAY[$2::timestamptz], ARRAY[$2::timestamptz + interval '1 hour'])
