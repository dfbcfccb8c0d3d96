-- $1 consumer group, $2 topic
SELECT partition, next_offset, last_record_at
FROM consumer_checkpoints
WHERE consumer_group = $1 AND topic = $2
ORDER BY partition
