-- $1 group, $2 topic, $3 partition, $4 owner. A new epoch for every owner, also for the same one twice.
INSERT INTO consumer_checkpoints AS checkpoint (consumer_group, topic, partition, next_offset, owner_epoch, owner)
VALUES ($1, $2, $3, 0, 1, $4)
ON CONFLICT (consumer_group, topic, partition) DO UPDATE
SET owner_epoch = checkpoint.owner_epoch + 1, owner = excluded.owner, updated_at = now()
RETURNING owner_epoch, next_offset
