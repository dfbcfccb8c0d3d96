-- $1 instant (null: now). A mark never goes back and never lies ahead; whole milliseconds, as event ids have
-- them. Waits for the commits under way, which hold the row shared.
UPDATE orphan_horizon
SET purged_before = greatest(purged_before, date_trunc('milliseconds', least($1::timestamptz, clock_timestamp())))
RETURNING purged_before::text
