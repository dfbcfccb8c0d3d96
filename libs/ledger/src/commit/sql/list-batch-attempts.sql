-- $1 group, $2 topic. A try below the checkpoint did end: its process died later, before it said so.
SELECT attempt.partition, attempt.next_offset, attempt.attempts, attempt.owner
FROM batch_attempts AS attempt
JOIN consumer_checkpoints AS checkpoint USING (consumer_group, topic, partition)
WHERE attempt.consumer_group = $1 AND attempt.topic = $2 AND attempt.next_offset >= checkpoint.next_offset
