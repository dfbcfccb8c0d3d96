-- $1 group, $2 topic, $3 partition, $4 first and $5 next offset of the log. Where to read on; a place
-- the log does not have (never read, made anew, expired) becomes its first.
INSERT INTO consumer_checkpoints AS position (consumer_group, topic, partition, next_offset, owner_epoch, owner)
VALUES ($1, $2, $3, $4, 0, 'audits')
ON CONFLICT (consumer_group, topic, partition) DO UPDATE
SET next_offset = CASE WHEN position.next_offset BETWEEN $4 AND $5 THEN position.next_offset ELSE excluded.next_offset END,
    updated_at = now()
RETURNING next_offset
