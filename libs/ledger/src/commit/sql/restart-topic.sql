-- $1 group, $2 topic, $3 partition, $4 owner epoch. Beside cluster/sql/read-from-start.sql the only statement that moves a checkpoint back.
UPDATE consumer_checkpoints
SET next_offset = 0, last_record_at = NULL, updated_at = now()
WHERE consumer_group = $1 AND topic = $2 AND partition = $3 AND owner_epoch = $4
RETURNING next_offset
