-- $1 horizon: whether every transaction with an older id has ended.
SELECT pg_snapshot_xmin(pg_current_snapshot()) >= $1::text::xid8 AS passed
