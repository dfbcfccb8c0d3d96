-- $1 kept until, $2 from, $3 to. Rows beside the ledger did not come back with it. Purges that cut a bucket in two after
-- the month was dropped left it whole, since nobody could tell its halves apart; now they can: they are gone through again.
WITH noted AS (
  UPDATE ledger_retention
  SET restored_until = greatest(restored_until, $1::timestamptz), audited_from = greatest(audited_from, $3::timestamptz)
)
INSERT INTO unfinished_purges (link_id, purged_before)
SELECT id, purged_before FROM links WHERE purged_before > $2::timestamptz AND purged_before < $3
ON CONFLICT (link_id) DO NOTHING
