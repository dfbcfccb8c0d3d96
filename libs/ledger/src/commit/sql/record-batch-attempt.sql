-- $1 group, $2 topic, $3 partition, $4 owner epoch, $5 first offset in hand, $6 attempts, $7 owner.
-- No row: somebody else owns the partition.
INSERT INTO batch_attempts AS attempt (consumer_group, topic, partition, next_offset, attempts, owner)
SELECT consumer_group, topic, partition, $5, $6, $7
FROM consumer_checkpoints
WHERE consumer_group = $1 AND topic = $2 AND partition = $3 AND owner_epoch = $4
ON CONFLICT (consumer_group, topic, partition) DO UPDATE
SET next_offset = excluded.next_offset, attempts = excluded.attempts, owner = excluded.owner, updated_at = now()
RETURNING attempts
