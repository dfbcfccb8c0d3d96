-- $1 group, $2 topic, $3 partition, $4 owner epoch, $5 next_offset as the owner last saw it, $6 new
-- next offset, $7 broker time of the last record. No row: somebody else owns the partition now, or the
-- database is not the one the owner was talking to (restored); either way nothing may be written.
-- First in the transaction: the row lock makes a new owner wait for a zombie's open transaction.
UPDATE consumer_checkpoints
SET next_offset = greatest(next_offset, $6::bigint),
    last_record_at = greatest(last_record_at, $7::timestamptz),
    updated_at = now()
WHERE consumer_group = $1 AND topic = $2 AND partition = $3 AND owner_epoch = $4 AND next_offset = $5
RETURNING next_offset
