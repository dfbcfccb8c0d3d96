-- $1 group, $2 topic, $3 partition, $4 owner epoch. Whoever wrote it: its records are behind us. A row
-- the partition's next owner has written already stays.
DELETE FROM batch_attempts AS attempt
USING consumer_checkpoints AS checkpoint
WHERE attempt.consumer_group = $1 AND attempt.topic = $2 AND attempt.partition = $3
  AND checkpoint.consumer_group = $1 AND checkpoint.topic = $2 AND checkpoint.partition = $3
  AND checkpoint.owner_epoch = $4
