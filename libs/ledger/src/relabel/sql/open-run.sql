-- $1 from, $2 to, $3 version of the rules. Begins a run where none is open.
INSERT INTO relabels (range_from, range_to, rules, kept_from, read_to_time)
SELECT $1::timestamptz, $2::timestamptz, $3, (SELECT kept_from FROM ledger_retention), $1::timestamptz
ON CONFLICT DO NOTHING
